// The page that a picture's parts are drawn on, one below the other.
#ifndef NOVA_TOOLS_NOVA_PICTUREPARTS_H
#define NOVA_TOOLS_NOVA_PICTUREPARTS_H

#include "tools/nova/Picture.h"
#include "tools/nova/Svg.h"
#include "llvm/ADT/SmallVector.h"

namespace nova::tool {
struct Page {
  static constexpr double width = 960, margin = 40;
  // The advance of a letter of the style's fonts at 12 pixels; of proportional ones a wide average.
  static constexpr double monoAdvance = 7.25, sansAdvance = 6.6;

  SvgPart definitions, body;
  double y = 0;        // where the next part begins
  std::string summary; // for those who do not see the picture
};

/// The masks of a graph and of those that its scans run.
llvm::Error drawMasks(const PictureSource &source, Page &page);
/// The table of values.
void drawDependence(const PictureSource &source, Page &page);

/// `text` cut to so many letters, the last of which is then an ellipsis.
std::string shortened(llvm::StringRef text, size_t letters);
/// Lines of at most so many letters, broken at spaces where there are some, inside of a type only where that must be.
llvm::SmallVector<std::string> wrapped(llvm::StringRef text, size_t letters);
/// `1,048,576`.
std::string grouped(int64_t number);
} // namespace nova::tool

#endif
