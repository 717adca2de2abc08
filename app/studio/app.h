// The program: options, application, window, picture without a display.
#pragma once

namespace warpmill::studio {

int runStudio(int argc, char** argv);

}  // namespace warpmill::studio
