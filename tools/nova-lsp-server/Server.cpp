#include "tools/nova-lsp-server/Server.h"
#include "compiler/pipeline/Version.h"
#include "mlir/Tools/lsp-server-support/Transport.h"
#include "tools/nova-lsp-server/Answers.h"

using namespace llvm;

namespace nova::lsp {
namespace protocol = mlir::lsp;

namespace {
struct FormattingParams {
  protocol::TextDocumentIdentifier textDocument;
};

struct OpenDocument {
  std::string text;
  int64_t version;
  std::unique_ptr<Analysis> analysis; // made when it is asked for
};

class Server {
public:
  Server(protocol::JSONTransport &transport, const SourceOptions &options)
      : transport(transport), options(options), handler(transport) {
    handler.method("initialize", this, &Server::initialize);
    handler.notification("initialized", this, &Server::ignore);
    handler.method("shutdown", this, &Server::shutdown);
    handler.notification("textDocument/didOpen", this, &Server::opened);
    handler.notification("textDocument/didChange", this, &Server::changed);
    handler.notification("textDocument/didClose", this, &Server::closed);
    handler.method("textDocument/hover", this, &Server::hover);
    handler.method("textDocument/definition", this, &Server::definition);
    handler.method("textDocument/completion", this, &Server::completion);
    handler.method("textDocument/documentSymbol", this, &Server::symbols);
    handler.method("textDocument/formatting", this, &Server::formatting);
    publish = handler.outgoingNotification<protocol::PublishDiagnosticsParams>("textDocument/publishDiagnostics");
  }

  int run() {
    if (Error error = transport.run(handler)) {
      protocol::Logger::error("{0}", toString(std::move(error)));
      return 1;
    }
    return wasShutDown ? 0 : 1;
  }

private:
  void initialize(const protocol::InitializeParams &, protocol::Callback<json::Value> reply) {
    json::Object capabilities{
        {"textDocumentSync",
         json::Object{{"openClose", true}, {"change", int(protocol::TextDocumentSyncKind::Incremental)}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"documentSymbolProvider", true},
        {"documentFormattingProvider", true},
        {"completionProvider", json::Object{{"triggerCharacters", json::Array{"%", "@", "=", ":", " "}}}}};
    reply(json::Object{{"serverInfo", json::Object{{"name", "nova-lsp-server"}, {"version", compilerVersion}}},
                       {"capabilities", std::move(capabilities)}});
  }
  void ignore(const protocol::InitializedParams &) {}
  void shutdown(const protocol::NoParams &, protocol::Callback<std::nullptr_t> reply) {
    wasShutDown = true;
    reply(nullptr);
  }

  void opened(const protocol::DidOpenTextDocumentParams &params) {
    set(params.textDocument.uri, params.textDocument.text, params.textDocument.version);
  }
  void changed(const protocol::DidChangeTextDocumentParams &params) {
    auto found = documents.find(params.textDocument.uri.file());
    if (found == documents.end())
      return;
    std::string text = found->second.text;
    if (failed(protocol::TextDocumentContentChangeEvent::applyTo(params.contentChanges, text)))
      return protocol::Logger::error("a change of {0} lies outside of the text", params.textDocument.uri.file());
    set(params.textDocument.uri, std::move(text), params.textDocument.version);
  }
  void closed(const protocol::DidCloseTextDocumentParams &params) {
    documents.erase(params.textDocument.uri.file());
    publish(protocol::PublishDiagnosticsParams(params.textDocument.uri, 0));
  }

  void set(const protocol::URIForFile &uri, std::string text, int64_t version) {
    OpenDocument &document = documents[uri.file()];
    document = {std::move(text), version, nullptr};
    document.analysis = std::make_unique<Analysis>(document.text, uri.file().str(), options);
    protocol::PublishDiagnosticsParams params(uri, version);
    params.diagnostics = diagnosticsOf(*document.analysis);
    publish(params);
  }

  // Null for a document that is not open.
  Analysis *analysisOf(const protocol::TextDocumentIdentifier &document) {
    auto found = documents.find(document.uri.file());
    return found == documents.end() ? nullptr : found->second.analysis.get();
  }

  void hover(const protocol::TextDocumentPositionParams &params,
             protocol::Callback<std::optional<protocol::Hover>> reply) {
    Analysis *analysis = analysisOf(params.textDocument);
    reply(analysis ? hoverAt(*analysis, params.position, options) : std::nullopt);
  }
  void definition(const protocol::TextDocumentPositionParams &params,
                  protocol::Callback<std::vector<protocol::Location>> reply) {
    Analysis *analysis = analysisOf(params.textDocument);
    reply(analysis ? definitionAt(*analysis, params.textDocument.uri, params.position, options)
                   : std::vector<protocol::Location>());
  }
  void completion(const protocol::CompletionParams &params, protocol::Callback<protocol::CompletionList> reply) {
    Analysis *analysis = analysisOf(params.textDocument);
    reply(analysis ? completionAt(*analysis, params.position, options) : protocol::CompletionList());
  }
  void symbols(const protocol::DocumentSymbolParams &params,
               protocol::Callback<std::vector<protocol::DocumentSymbol>> reply) {
    Analysis *analysis = analysisOf(params.textDocument);
    reply(analysis ? symbolsOf(*analysis) : std::vector<protocol::DocumentSymbol>());
  }
  void formatting(const FormattingParams &params, protocol::Callback<std::vector<protocol::TextEdit>> reply) {
    Analysis *analysis = analysisOf(params.textDocument);
    reply(analysis ? formattingOf(*analysis) : std::vector<protocol::TextEdit>());
  }

  protocol::JSONTransport &transport;
  const SourceOptions &options;
  protocol::MessageHandler handler;
  protocol::OutgoingNotification<protocol::PublishDiagnosticsParams> publish;
  StringMap<OpenDocument> documents;
  bool wasShutDown = false;
};

bool fromJSON(const json::Value &value, FormattingParams &params, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("textDocument", params.textDocument);
}
} // namespace

int serve(std::FILE *in, raw_ostream &out, const SourceOptions &options) {
  protocol::JSONTransport transport(in, out);
  return Server(transport, options).run();
}
} // namespace nova::lsp
