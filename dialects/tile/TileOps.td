#ifndef NOVA_TILE_OPS_TD
#define NOVA_TILE_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/graph/NovaDialect.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::nova::tile";
  let summary = "Target-neutral kernels over blocks of rows";
  let description = [{
    A kernel is one single-threaded function that a runtime calls once per block of rows. Its steps run in order over the
    whole block; steps work on buffers (global ones, given as block arguments, and scratch tiles of the block). The element
    arithmetic inside `tile.pass` and `tile.map` is written in ops of the dialect `nova` on scalars (`f32[]`), so their
    meaning is not written twice. A division of integers by 0 at any entry that such a step runs over is an error of the
    launch, of which the attribute `tile.fault` says what is told. See Rationale.md.
  }];
  let dependentDialects = ["::nova::NovaDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> { let mnemonic = typeMnemonic; }
class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

// rows:   dense row-major, any rank.
// panels: a matrix [k, c] cut into panels of columns (8 of 64 bits, else 16): [panel][k][lane]. The columns may grow.
// pages:  a matrix [k, c] cut into pages of 256 k, then panels of columns: [page][panel][256][lane]. k may grow.
def Tile_Layout : I32EnumAttr<"Layout", "memory layout of a buffer",
    [I32EnumAttrCase<"rows", 0>, I32EnumAttrCase<"panels", 1>, I32EnumAttrCase<"pages", 2>]> {
  let cppNamespace = "::nova::tile";
}

def Tile_BufferType : Tile_Type<"Buffer", "buffer"> {
  let summary = "A buffer with symbolic dims and a layout; `!tile.buffer<f32[n, d], rows>`";
  let description = [{ `dims` are the logical dims ([k, c] for panels and pages). Padding lanes hold anything. }];
  let parameters = (ins "::nova::TensorType":$tensor, EnumParameter<Tile_Layout>:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "kind of reduction",
    [I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"argmax", 3>]> {
  let cppNamespace = "::nova::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce"> { let assemblyFormat = "`<` $value `>`"; }

def Tile_RangeAttr : AttrDef<Tile_Dialect, "Range"> {
  let mnemonic = "range";
  let summary = "Columns of a row, by its absolute position: `<[w] (d0)[s0] -> (d0 - s0 + 1) to (d0)[s0] -> (d0 + 1)>`";
  let description = [{
    Pieces, with `or` or `then` between them. One begins at the greatest result of its first map (at 0 where there is none) and ends
    before the least of its second (at the last column where there is none); it is empty where a result of the third, behind
    `if`, is negative. Symbols of the maps are `sizes`. With `then` a row's pieces lie behind one
    another, and the range is their columns in this order. With `or` it reaches from the first column of the pieces to the
    last, for rows that have any; where some between them are hidden, a mask hides them.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::AffineMap">:$lows, ArrayRefParameter<"::mlir::AffineMap">:$highs,
                        ArrayRefParameter<"::mlir::AffineMap">:$guards, ArrayRefParameter<"::nova::DimAttr">:$sizes,
                        "bool":$inOrder);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether a row may begin after column 0.
    bool mayBeginLater() const;
    /// Whether a later row sees all that an earlier one sees.
    bool isNested() const;
  }];
}

def Tile_FaultAttr : AttrDef<Tile_Dialect, "Fault"> {
  let mnemonic = "fault";
  let summary = "What a kernel tells of an entry at which an operation fails; the attribute `tile.fault` of that operation";
  let description = [{
    `number`: which of the step's faults it is. `at`: the position that is told, from the kernel's indices: row and column of
    a pass, the axes of a map's output, those of the indices of a gather. Its results are those of a map's inputs
    (`tile.map`); symbol i is `starts[i]`. Of several entries that fail in a launch that of the lowest number is told, and of
    these the first position.
  }];
  let parameters = (ins "int64_t":$number, "::mlir::AffineMapAttr":$at, "::mlir::ArrayAttr":$starts);
  let assemblyFormat = "`<` $number `,` $at `,` $starts `>`";
}

def Tile_KernelOp : Tile_Op<"kernel", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "One tile function, called once per block of rows";
  let description = [{
    `symbols` is the order of the run-time dims array. `rows` is the number of rows of the whole launch (the runtime cuts
    it in blocks of at most `block`). `position` is added to a row's index within the launch to give its absolute
    position (`t` in a graph that extends a state, else 0). Block arguments are the step's buffers, in order.
    `descending`: later blocks are longer and should start first.
    `folds`: a launch of one row may also be given the same row of neighbouring instances as its rows: all of them then have
    the position of the first (docs/module-format.md).
    `sections`: a launch of one block may also be run section by section (`sectionsOf`), several threads sharing its scratch tiles: a
    contraction then computes only some of its columns (docs/module-format.md).
    Optional `vector` dims: everything is symbolic; one kernel serves all sizes, empty ones included.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols, Nova_DimAttr:$rows, Nova_DimAttr:$position,
                       I64Attr:$block, UnitAttr:$descending, UnitAttr:$folds,
                       UnitAttr:$sections);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` $symbols `rows` $rows `position` $position `block` $block (`descending` $descending^)? (`folds` $folds^)?
    (`sections` $sections^)?
    attr-dict-with-keyword $body
  }];
}

def Tile_StorageOp : Tile_Op<"storage", [Symbol]> {
  let summary = "A buffer that the runtime allocates: a temporary or a state, beside the kernels";
  let description = [{
    Becomes the function `int64_t nova_bytes_<sym_name>(const int64_t *dims)` of the module: the bytes of such a buffer
    for these symbols, padding included. `symbols` is the order of `dims`, as in `tile.kernel`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols, TypeAttrOf<Tile_BufferType>:$type);
  let assemblyFormat = "$sym_name `symbols` $symbols `:` $type attr-dict";
}

def Tile_DataOp : Tile_Op<"data", [Symbol]> {
  let summary = "A constant buffer inside the module, under the name `sym_name`";
  let description = [{
    `type` is a `rows` buffer of constant dims. `value` holds the elements, row-major, of the buffer's element type or, as
    in `nova.constant`, of f64, i64 or i1; numbers round to the buffer's type once.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value, TypeAttrOf<Tile_BufferType>:$type);
  let assemblyFormat = "$sym_name $value `:` $type attr-dict";
}

def Tile_ScratchOp : Tile_Op<"scratch"> {
  let summary = "A tile of the block: [rows of the block, width], `rows` layout, private to the call";
  let description = [{
    The type's first dim is the kernel's `rows` (only the block's part exists); the second is the width. Contents are
    unspecified at first. Columns outside a step's range keep unspecified values.
  }];
  let results = (outs Tile_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "The value of a dimension expression at run time, as a scalar i64[]";
  let arguments = (ins Nova_DimAttr:$dim);
  let results = (outs Nova_TensorType:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def Tile_ContractOp : Tile_Op<"contract", [AttrSizedOperandSegments]> {
  let summary = "C[r, c] = sum over k of A[r, k] * B[k, c], in canonical order (rule 2)";
  let description = [{
    A: a global buffer of layout rows (block rows are read at the launch's row index) or a scratch tile. B: panels or
    pages, global. C: a scratch tile or a global rows buffer (results). Chunks of 256 k by absolute position, fma from +0, each
    chunk added to a total from +0. B may be kept in bf16 or f16 where the others are f32, in i8 where they are i32.

    `terms`: only k in this range of the row take part (others are hidden, never multiplied).
    `columns`: columns outside this range of the row are not looked at by anyone: they may be skipped.
    `mask`: for masks that say more: a scratch or global i1 buffer [rows or 1, k]; where true the term is hidden.
    `b_mask`: a buffer like B, of its type and layout; where it is not 0 the term is hidden.
    `plain`: the same matrix as B in a global f32 buffer of layout rows, for a library tile to read where the launch is given
    one for this contraction (docs/module-format.md). Nothing may be hidden then.
  }];
  let arguments = (ins Tile_BufferType:$a, Tile_BufferType:$b, Tile_BufferType:$c, Optional<Tile_BufferType>:$mask,
                       Optional<Tile_BufferType>:$b_mask, Optional<Tile_BufferType>:$plain,
                       OptionalAttr<Tile_RangeAttr>:$terms, OptionalAttr<Tile_RangeAttr>:$columns);
  let assemblyFormat = [{
    $a `,` $b `->` $c (`hidden` $mask^ `:` type($mask))? (`b_hidden` $b_mask^ `:` type($b_mask))?
    (`plain` $plain^ `:` type($plain))? (`terms` $terms^)? (`columns` $columns^)? attr-dict `:` type($a) `,` type($b) `->`
    type($c)
  }];
}

def Tile_PassOp : Tile_Op<"pass", [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "One pass over the columns of every row of the block: elementwise work, stores, reductions";
  let description = [{
    For every row and every column c in 0 .. width (with `columns` only those of that range of the row), the region computes on
    scalars. Block arguments: one scalar per input, then two i64[] scalars: the absolute position of the row, and the
    column. An input is loaded at (row, column), with broadcasting along an axis whose dim is the constant 1 (then at row 0 or
    column 0); inputs of rank 1 or 0 broadcast like NumPy. A global input whose first dim is the kernel's rows is read at the
    launch's row. Scalars of the kernel's region may be used directly.
    `tile.yield` gives one value per store, then one per reduction. Stores go to (row, column) of their buffer (input
    and store may be one buffer: the same entry is read before it is written). Reductions (rule 3 and 4, position =
    column) go to (row, 0) of their buffer, whose width is 1; with nothing visible: +0, -inf, +inf (integers: 0, lowest,
    highest).
    `hide`: for each reduction 1 when its yield has a further i1[] value after all others: where true the term is skipped.
    Passes of one kernel that follow each other are meant to run row by row while the row is in cache.
  }];
  let arguments = (ins Variadic<Tile_BufferType>:$inputs, Variadic<Tile_BufferType>:$stores,
                       Variadic<Tile_BufferType>:$reductions, Nova_DimAttr:$width, OptionalAttr<Tile_RangeAttr>:$columns,
                       TypedArrayAttrBase<Tile_ReduceKindAttr, "reduction kinds">:$kinds, DenseI64ArrayAttr:$hide);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `width` $width (`columns` $columns^)? `ins` `(` ($inputs^ `:` type($inputs))? `)` `stores` `(` ($stores^ `:` type($stores))? `)`
    `reduces` `(` ($reductions^ `:` type($reductions))? `)` `kinds` $kinds `hide` $hide attr-dict-with-keyword $body
  }];
}

def Tile_Dims : TypedArrayAttrBase<Nova_DimAttr, "dimensions">;

def Tile_MapOp : Tile_Op<"map", [SingleBlock]> {
  let summary = "Elementwise over a tensor of any rank: the fallback for what is no row block";
  let description = [{
    The kernel's launch has one row per entry of the leading axis of `output` (1 for rank 0); for each of them and every index of the
    further axes the region computes one scalar. `maps` gives for every input an affine map from the output's axes to the
    input's axes. A result is 0 for broadcasting, or one axis times a positive step, or a symbol (where it begins), or a sum of
    both: `d1 * 2 + s0`. Transposes and slices are maps. Symbol i is `starts[i]`. Block arguments: one scalar
    per input, then the i64[] index of every output axis (the leading one absolute, that is with `position`).

    With `part` only a part of `output` is written: the loops run over these sizes (the launch has one row per entry of the first), and
    the entry of an index goes to that index plus `at`.
  }];
  let arguments = (ins Variadic<Tile_BufferType>:$inputs, Tile_BufferType:$output, AffineMapArrayAttr:$maps,
                       OptionalAttr<Tile_Dims>:$starts, OptionalAttr<Tile_Dims>:$part, OptionalAttr<Tile_Dims>:$at);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `out` `(` $output `:` type($output) `)` `maps` $maps (`starts` $starts^)?
    (`part` $part^ `at` $at)? attr-dict-with-keyword $body
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce"> {
  let summary = "Reduction over one axis of a tensor of any rank, canonical order: the fallback for what is no row block";
  let description = [{
    The launch has one row per entry of the leading axis of `output` (the operand's with `axis` of size 1; the launch has 1 row when the
    leading axis is the reduced one). `hidden`, of the operand's dims or broadcast to it with 1s, marks skipped entries.
    `argmax` writes i64 positions along the axis: of the greatest entry, the lowest where several compare equal; of the
    first NaN; 0 where nothing is visible.
  }];
  let arguments = (ins Tile_BufferType:$input, Optional<Tile_BufferType>:$hidden, Tile_BufferType:$output, I64Attr:$axis,
                       Tile_ReduceKindAttr:$kind);
  let assemblyFormat = [{
    $kind $input (`hidden` $hidden^ `:` type($hidden))? `axis` $axis `->` $output attr-dict `:` type($input) `->` type($output)
  }];
}

def Tile_AccumulateOp : Tile_Op<"accumulate"> {
  let summary = "Sums of the entries up to each position along one axis of a tensor of any rank, in order from +0";
  let description = [{ `output` has the operand's dims; launch and `hidden` are those of `tile.reduce`. }];
  let arguments = (ins Tile_BufferType:$input, Optional<Tile_BufferType>:$hidden, Tile_BufferType:$output, I64Attr:$axis);
  let assemblyFormat = [{
    $input (`hidden` $hidden^ `:` type($hidden))? `axis` $axis `->` $output attr-dict `:` type($input) `->` type($output)
  }];
}

def Tile_GatherOp : Tile_Op<"gather"> {
  let summary = "Entries along one axis of a tensor by their indices";
  let description = [{
    `output` has the axes of `input` with those of `indices` (i64 or i32) in the place of `axis`; the launch has one row per entry of its
    leading axis (1 for rank 0). An index outside the axis, whose size is at least 1, is an error of the launch.
  }];
  let arguments = (ins Tile_BufferType:$input, Tile_BufferType:$indices, Tile_BufferType:$output, I64Attr:$axis);
  let assemblyFormat = [{
    $input `[` $indices `]` `axis` $axis `->` $output attr-dict `:` type($input) `[` type($indices) `]` `->` type($output)
  }];
}

def Tile_PackOp : Tile_Op<"pack"> {
  let summary = "Writes the launch's rows of a matrix into a packed buffer, beginning at row `position` of the packed matrix";
  let description = [{
    `source`: rows [m, w]. To `pages` [k, c]: row r of the source becomes k = position + r. To `panels` [k, c] with
    `transposed`: row r becomes column position + r (so the source is the transpose of the packed matrix); without
    `transposed`: row r becomes k = position + r.
  }];
  let arguments = (ins Tile_BufferType:$source, Tile_BufferType:$packed, UnitAttr:$transposed);
  let assemblyFormat = "$source `->` $packed (`transposed` $transposed^)? attr-dict `:` type($source) `->` type($packed)";
}

def Tile_CopyOp : Tile_Op<"copy"> {
  let summary = "Copies the launch's rows to a rows buffer of equal width, beginning at row `position` of the target";
  let arguments = (ins Tile_BufferType:$source, Tile_BufferType:$target);
  let assemblyFormat = "$source `->` $target attr-dict `:` type($source) `->` type($target)";
}

def Tile_YieldOp : Tile_Op<"yield", [Terminator, Pure, ParentOneOf<["PassOp", "MapOp"]>]> {
  let arguments = (ins Variadic<Nova_TensorType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
