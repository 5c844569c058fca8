// What the ops that move entries do to regions: they act on mask and fill alike (rule 6).
#include "compiler/analysis/ReshapeGroups.h"
#include "compiler/transforms/MaskedValue.h"

using namespace mlir;

namespace nova {
static ArrayRef<DimAttr> dimsOf(Value value) { return cast<TensorType>(value.getType()).getDims(); }

// Masks have the last axes of their value, or all: the axis of the mask that lies along this one; below 0 for none.
static int64_t axisOfMask(Value mask, unsigned rank, int64_t axis) {
  return axis - (int64_t(rank) - int64_t(dimsOf(mask).size()));
}

Value CoreBuilder::broadcastTo(Location loc, Value value, ArrayRef<DimAttr> dims) {
  if (dimsOf(value) == dims)
    return value;
  SmallVector<Attribute> list(dims.begin(), dims.end());
  return create(loc, "nova.broadcast", value, b.getNamedAttr("dims", b.getArrayAttr(list)));
}

Value CoreBuilder::reshapeTo(Location loc, Value value, ArrayRef<DimAttr> dims) {
  if (dimsOf(value) == dims)
    return value;
  SmallVector<Attribute> list(dims.begin(), dims.end());
  return create(loc, "nova.reshape", value, b.getNamedAttr("dims", b.getArrayAttr(list)));
}

MaskedValue CoreBuilder::moved(const MaskedValue &value, function_ref<Value(Value)> moveData,
                               function_ref<void(Region &)> moveRegion) {
  MaskedValue result;
  result.data = moveData(value.data);
  result.constant = value.constant;
  for (const Region &region : value.regions) {
    result.regions.push_back(region);
    moveRegion(result.regions.back());
  }
  if (value.plain)
    result.plain = std::make_shared<MaskedValue>(moved(*value.plain, moveData, moveRegion));
  return result;
}

MaskedValue CoreBuilder::transpose(Location loc, const MaskedValue &value, DenseI64ArrayAttr permutation) {
  if (llvm::is_sorted(permutation.asArrayRef())) // moves nothing
    return value;
  NamedAttribute attr = b.getNamedAttr("permutation", permutation);
  size_t rank = permutation.size();
  auto moveMask = [&](Region &region) {
    if (dimsOf(region.mask).size() < rank) {
      // Give the mask all axes: or with a false of one entry on each.
      DimAttr one = constantDim(b.getContext(), 1);
      Value index = create(loc, "nova.iota", {},
                           {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
                            b.getNamedAttr("dims", b.getArrayAttr(SmallVector<Attribute>(rank, one)))});
      Value no = create(loc, "nova.less", {index, constant(loc, Scalar{b.getI64Type(), 0, 0})});
      region.mask = create(loc, "nova.or", {region.mask, no});
    }
    region.mask = create(loc, "nova.transpose", region.mask, attr);
    if (region.lowAxis)
      region.lowAxis = llvm::find(permutation.asArrayRef(), *region.lowAxis) - permutation.asArrayRef().begin();
  };
  return moved(value, [&](Value data) { return create(loc, "nova.transpose", data, attr); }, moveMask);
}

MaskedValue CoreBuilder::broadcast(Location loc, const MaskedValue &value, ArrayRef<DimAttr> dims) {
  int64_t added = dims.size() - dimsOf(value.data).size();
  auto moveMask = [&](Region &region) { // which broadcasts to the result as it is
    if (region.lowAxis)
      *region.lowAxis += added;
  };
  return moved(value, [&](Value data) { return broadcastTo(loc, data, dims); }, moveMask);
}

// A mask that says nothing of the axes that are merged or split says nothing of what becomes of them; else it takes the
// value's shape along them and goes with the data.
MaskedValue CoreBuilder::reshape(Location loc, const MaskedValue &value, ArrayRef<DimAttr> dims) {
  ArrayRef<DimAttr> own = dimsOf(value.data);
  SmallVector<ReshapeGroup> groups = reshapeGroups(own, dims, facts);
  DimAttr one = constantDim(b.getContext(), 1);
  auto moveMask = [&](Region &region) {
    SmallVector<DimAttr> wide(own.size(), one), next(dims.size(), one);
    auto varies = [&](unsigned axis) {
      int64_t of = axisOfMask(region.mask, own.size(), axis);
      return of >= 0 && !facts.equal(dimsOf(region.mask)[of], one);
    };
    for (const ReshapeGroup &group : groups) {
      if (llvm::none_of(group.from, varies))
        continue;
      for (unsigned axis : group.from)
        wide[axis] = own[axis];
      for (unsigned axis : group.to)
        next[axis] = dims[axis];
    }
    region.mask = reshapeTo(unnamed(loc), broadcastTo(unnamed(loc), region.mask, wide), next);
    if (!region.lowAxis)
      return;
    int axis = axesAfterReshape(own, dims, facts)[*region.lowAxis];
    region.lowAxis = axis < 0 ? std::nullopt : std::optional<int64_t>(axis);
  };
  return moved(value, [&](Value data) { return reshapeTo(loc, data, dims); }, moveMask);
}

MaskedValue CoreBuilder::slice(Location loc, const MaskedValue &value, int64_t axis, DimAttr from, DimAttr size,
                               IntegerAttr step) {
  unsigned rank = dimsOf(value.data).size();
  auto cut = [&](Location at, Value part, int64_t along) {
    SmallVector<NamedAttribute> attributes{b.getNamedAttr("axis", b.getI64IntegerAttr(along)),
                                           b.getNamedAttr("from", from), b.getNamedAttr("size", size)};
    if (step)
      attributes.push_back(b.getNamedAttr("step", step));
    return create(at, "nova.slice", part, attributes);
  };
  auto moveMask = [&](Region &region) {
    int64_t along = axisOfMask(region.mask, rank, axis);
    if (along >= 0 && !facts.equal(dimsOf(region.mask)[along], constantDim(b.getContext(), 1)))
      region.mask = cut(unnamed(loc), region.mask, along);
  };
  return moved(value, [&](Value data) { return cut(loc, data, axis); }, moveMask);
}

// A mask with the axis is picked from alike; one without it gets the axes of the indices, of one entry each.
MaskedValue CoreBuilder::gather(Location loc, const MaskedValue &value, Value indices, int64_t axis, int64_t batch) {
  unsigned rank = dimsOf(value.data).size(), picked = dimsOf(indices).size() - batch;
  DimAttr one = constantDim(b.getContext(), 1);
  auto pick = [&](Location at, Value part, int64_t along) {
    SmallVector<NamedAttribute> attributes{b.getNamedAttr("axis", b.getI64IntegerAttr(along))};
    if (batch)
      attributes.push_back(b.getNamedAttr("batch", b.getI64IntegerAttr(batch)));
    return create(at, "nova.gather", {part, indices}, attributes);
  };
  auto moveMask = [&](Region &region) {
    int64_t along = axisOfMask(region.mask, rank, axis);
    ArrayRef<DimAttr> own = dimsOf(region.mask);
    if (region.lowAxis && *region.lowAxis >= axis)
      region.lowAxis = *region.lowAxis == axis ? std::nullopt : std::optional<int64_t>(*region.lowAxis - 1 + picked);
    if (along < 0)
      return;
    if (!facts.equal(own[along], one)) {
      SmallVector<DimAttr> whole(batch ? rank - own.size() : 0, one); // also axes of the batch that it lacks
      llvm::append_range(whole, own);
      region.mask = pick(unnamed(loc), reshapeTo(unnamed(loc), region.mask, whole), batch ? axis : along);
      return;
    }
    SmallVector<DimAttr> dims(own.take_front(along));
    dims.append(picked, one);
    llvm::append_range(dims, own.drop_front(along + 1));
    region.mask = reshapeTo(unnamed(loc), region.mask, dims);
  };
  return moved(value, [&](Value data) { return pick(loc, data, axis); }, moveMask);
}

// The parts of one fill become one region, false where a part has none.
MaskedValue CoreBuilder::concat(Location loc, ArrayRef<MaskedValue> given, int64_t axis) {
  if (given.size() == 1)
    return given[0];
  NamedAttribute attribute = b.getNamedAttr("axis", b.getI64IntegerAttr(axis));
  SmallVector<MaskedValue> parts;
  SmallVector<Value> data;
  SmallVector<Scalar> fills;
  for (const MaskedValue &part : given) {
    parts.push_back(part.hasDeferred() ? *part.plain : part);
    separate(loc, parts.back());
    data.push_back(parts.back().data);
    for (const Region &region : parts.back().regions)
      if (!llvm::is_contained(fills, *region.fill))
        fills.push_back(*region.fill);
  }
  MaskedValue result;
  result.data = create(loc, "nova.concat", data, attribute);
  DimAttr one = constantDim(b.getContext(), 1);
  for (const Scalar &fill : fills) {
    SmallVector<Value> masks;
    bool inData = true;
    for (const MaskedValue &part : parts) {
      Value mask;
      for (const Region &region : part.regions)
        if (*region.fill == fill) {
          mask = mask ? logical(loc, "nova.or", mask, region.mask) : region.mask;
          inData &= region.inData;
        }
      masks.push_back(mask ? mask : constant(loc, Scalar{b.getI1Type(), 0, 0}));
    }
    // Along the other axes a mask is as wide as the widest.
    SmallVector<DimAttr> wide(dimsOf(result.data).size(), one);
    for (Value mask : masks)
      for (auto [k, dim] : llvm::enumerate(dimsOf(mask)))
        if (!facts.equal(dim, one))
          wide[wide.size() - dimsOf(mask).size() + k] = dim;
    for (auto [mask, part] : llvm::zip_equal(masks, parts)) {
      wide[axis] = dimsOf(part.data)[axis];
      mask = broadcastTo(unnamed(loc), mask, wide);
    }
    result.regions.push_back({create(unnamed(loc), "nova.concat", masks, attribute), fill, inData});
  }
  return result;
}

MaskedValue CoreBuilder::pad(Location loc, const MaskedValue &value, Value scalar, int64_t axis, DimAttr low,
                             DimAttr high) {
  SmallVector<MaskedValue> parts;
  auto fill = [&](DimAttr count) {
    if (constantValue(count) == 0)
      return;
    SmallVector<DimAttr> dims(dimsOf(value.data));
    dims[axis] = count;
    parts.emplace_back().data = broadcastTo(unnamed(loc), scalar, dims);
  };
  fill(low);
  parts.push_back(value);
  fill(high);
  return concat(loc, parts, axis);
}
} // namespace nova
