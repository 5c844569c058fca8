#include "compiler/conversion/VectorToModule/ObjectCode.h"
#include "compiler/conversion/VectorToModule/Link.h"
#include "compiler/conversion/VectorToModule/LowerToLLVM.h"
#include "runtime/core/Digest.h"
#include "llvm-c/Target.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

namespace nova {

static constexpr char triple[] = "x86_64-unknown-linux-gnu";

static std::unique_ptr<llvm::TargetMachine> makeMachine(const TargetInfo &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    llvm::report_fatal_error(llvm::Twine("no code generator for ") + triple + ": " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(triple, target.cpu, target.features, options,
                                                                          llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                          llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    llvm::report_fatal_error("no code generator for the target '" + llvm::Twine(target.name) + "'");
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  // The code is vectorized already: looking again costs a quarter of the time and only duplicates tails.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  // O3 takes two fifths more time for code that is a third larger and no faster.
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

// LLVM IR of one part for its target, verified.
static std::unique_ptr<llvm::Module> verifiedPart(mlir::ModuleOp part, llvm::TargetMachine &machine,
                                                   llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module = lowerToLLVM(part, context);
  module->setTargetTriple(triple);
  module->setDataLayout(machine.createDataLayout());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    llvm::report_fatal_error(llvm::Twine("invalid LLVM IR: ") + problem);
  return module;
}

static void generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                     llvm::SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    llvm::report_fatal_error("the code generator cannot write this kind of file");
  passes.run(module);
}

std::string printCode(mlir::ModuleOp part, const TargetInfo &target, CodeForm form) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = verifiedPart(part, *machine, context);
  optimize(*module, *machine);
  if (form == CodeForm::llvm) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, nullptr);
    return text;
  }
  llvm::SmallVector<char, 0> bytes;
  generate(*module, *machine, llvm::CodeGenFileType::AssemblyFile, bytes);
  return std::string(bytes.begin(), bytes.end());
}

// An object with the sections that are no code: the manifest, and room for the digest.
static llvm::SmallVector<char, 0> manifestObject(const std::string &manifest, const TargetInfo &target) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target);
  llvm::LLVMContext context;
  llvm::Module module("manifest", context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  auto section = [&](const char *name, const char *symbol, llvm::StringRef bytes) {
    auto *data = llvm::ConstantDataArray::getString(context, bytes, /*AddNull=*/false);
    auto *global = new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::ExternalLinkage, data, symbol);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    global->setSection(name);
    global->setAlignment(llvm::Align(1));
  };
  section(".nova.manifest", "nova_manifest", manifest);
  section(".nova.digest", "nova_digest", std::string(runtime::kDigestSize, '\0'));
  llvm::SmallVector<char, 0> bytes;
  generate(module, *machine, llvm::CodeGenFileType::ObjectFile, bytes);
  return bytes;
}

// MLIR's context serves one thread; LLVM's work, nearly all of the time, is done for all parts at once.
static std::vector<llvm::SmallVector<char, 0>> objectsOf(llvm::ArrayRef<std::pair<TargetInfo, mlir::ModuleOp>> parts) {
  struct Part {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<llvm::Module> module;
  };
  std::vector<llvm::SmallVector<char, 0>> objects(parts.size());
  std::vector<std::unique_ptr<Part>> lowered;
  for (const auto &[target, part] : parts) {
    lowered.push_back(std::make_unique<Part>());
    lowered.back()->machine = makeMachine(target);
    lowered.back()->module = verifiedPart(part, *lowered.back()->machine, lowered.back()->context);
  }
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(static_cast<unsigned>(parts.size())));
  for (size_t i = 0; i < parts.size(); ++i)
    pool.async([&, i] {
      optimize(*lowered[i]->module, *lowered[i]->machine);
      generate(*lowered[i]->module, *lowered[i]->machine, llvm::CodeGenFileType::ObjectFile, objects[i]);
      lowered[i]->module.reset();
    });
  pool.wait();
  return objects;
}

llvm::Expected<std::vector<char>> buildModule(const ModuleInput &input) {
  assert(!input.parts.empty() && "a module needs code for at least one target");
  std::vector<llvm::SmallVector<char, 0>> objects = objectsOf(input.parts);
  objects.push_back(manifestObject(input.manifestJson, input.parts.front().first));

  llvm::Expected<std::string> linked = linkSharedObject(objects);
  if (!linked)
    return linked.takeError();
  std::string problem;
  if (!runtime::sealModule(*linked, problem))
    return llvm::createStringError("the linker wrote no module: " + problem);
  return std::vector<char>(linked->begin(), linked->end());
}

} // namespace nova
