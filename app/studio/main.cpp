#include "studio/app.h"

int main(int argc, char** argv) { return warpmill::studio::runStudio(argc, argv); }
