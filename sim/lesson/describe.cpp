#include "lesson/describe.h"

#include "base/text_file.h"
#include "lesson/figures.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warpmill::lesson {

namespace {

// One sentence in two languages; the same arguments in both.
template <class... Args>
std::string say(std::string_view language, std::string_view english, std::string_view russian, const Args&... args) {
  return fmt::format(fmt::runtime(language == "ru" ? russian : english), args...);
}

class Describer {
 public:
  Describer(const Variant& variant, const Moment& moment, const FoundMoment& found, const session::Session& session, std::string_view language)
      : variant_(variant), moment_(moment), found_(found), session_(session), language_(language) {}

  std::vector<std::string> lines() {
    if (found_.request == timing::noRequest) {
      add("Cycle {}.", "Такт {}.", session_.position().cycle);
      road();
      return lines_;
    }
    const timing::Request& request = session_.trace().requests[found_.request];
    where(request);
    code();
    lanes(request);
    pallets(request);
    if (moment_.kind == MomentKind::Wait) waiting(request);
    way(request);
    road();
    return lines_;
  }

 private:
  template <class... Args>
  void add(std::string_view english, std::string_view russian, const Args&... args) {
    lines_.push_back(say(language_, english, russian, args...));
  }

  // "4 pallets", "4 поддона".
  [[nodiscard]] std::string counted(std::uint64_t n, const std::vector<std::string>& english, const std::vector<std::string>& russian) const {
    return countedText(static_cast<double>(n), language_ == "ru" ? russian : english, language_);
  }

  void where(const timing::Request& request) {
    add("Cycle {}. SM {}, block {}, warp {}.", "Такт {}. SM {}, блок {}, варп {}.", session_.position().cycle, request.sm, found_.warp.block, found_.warp.warp);
  }

  void code() {
    const exec::PreparedLaunch& launch = session_.machine().launch();
    const ptx::Instruction& instruction = launch.function->instructions[found_.pc];
    if (instruction.location.line != 0) {
      const std::string file = variant_.source.substr(variant_.source.rfind('/') + 1);
      lines_.push_back(fmt::format("  {}:{}    {}", file, instruction.location.line, sourceLine(variant_.source, instruction.location.line)));
    }
    std::string ptx(launch.module->textOf(instruction));
    std::replace(ptx.begin(), ptx.end(), '\t', ' ');
    lines_.push_back(fmt::format("  PTX:{}    {};", instruction.position.line, ptx));
  }

  void lanes(const timing::Request& request) {
    add("Lanes: {}  {} of 32 make the access.", "Дорожки: {}  обращаются {} из 32.", maskText(request.lanes), std::popcount(request.lanes));
    const machine::Allocation* buffer = nullptr;
    const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(request.lanes));
    if (request.lanes != 0) buffer = session_.state().memory.nearest(request.address[first]);
    if (!buffer) return;
    if (!((request.lanes >> found_.lane) & 1u)) {
      add("Lane {} does not take part.", "Дорожка {} не участвует.", found_.lane);
      return;
    }
    const std::uint64_t element = (request.address[found_.lane] - buffer->base) / 4;
    const std::uint32_t count = request.bytesPerLane / 4;
    const std::string range = count > 1 ? fmt::format("{}[{}..{}]", buffer->name, element, element + count - 1) : fmt::format("{}[{}]", buffer->name, element);
    if (request.isStore)
      add("Lane {} writes {}.", "Дорожка {} записывает {}.", found_.lane, range);
    else
      add("Lane {} wants {}.", "Дорожке {} нужно {}.", found_.lane, range);
  }

  // A row for each 128-byte line that the request touches, a character for each 4 bytes.
  void pallets(const timing::Request& request) {
    const auto& sectors = session_.trace().sectors;
    add("Pallets: {} of 32 bytes; {} bytes wanted of {}.", "Поддоны: {} по 32 байта; нужно байтов {} из {}.",
        counted(request.sectorCount, {"sector", "sectors"}, {"сектор", "сектора", "секторов"}), request.usedBytes, 32 * request.sectorCount);
    std::string row;
    for (std::uint32_t i = 0; i < request.sectorCount; ++i) {
      const timing::SectorRecord& sector = sectors[request.firstSector + i];
      if (i != 0 && sector.address / 128 != sectors[request.firstSector + i - 1].address / 128) {
        lines_.push_back("  " + row);
        row.clear();
      }
      row += '[';
      for (int word = 0; word < 8; ++word) row += (sector.usedBytes >> (4 * word)) & 0xFu ? '#' : '.';
      row += ']';
    }
    lines_.push_back("  " + row);
  }

  void waiting(const timing::Request& request) {
    const timing::WarpStatus status = session_.machine().warpStatus(session_.state(), request.sm, request.warpSlot, session_.position().cycle);
    if (!status.used || status.stall == timing::Stall::Selected) return;
    add("The warp waits: {} since cycle {}.", "Варп ждёт: {} с такта {}.", timing::stallName(status.stall), status.since);
  }

  void way(const timing::Request& request) {
    const char* farthest[] = {"shared", "L1", "L2", "DRAM"};
    const char* level = farthest[static_cast<std::size_t>(request.level)];
    if (request.isStore)
      add("On its way since cycle {}; L2 has it at cycle {}.", "В пути с такта {}; L2 примет груз на такте {}.", request.issued, request.done);
    else
      add("On its way since cycle {}, goes as far as {}, back at cycle {}: {}.", "В пути с такта {}, едет до {}, вернётся на такте {}: {}.", request.issued, level, request.done,
          counted(request.done - request.issued, {"cycle", "cycles"}, {"такт", "такта", "тактов"}));
  }

  void road() {
    const std::uint64_t now = session_.position().cycle;
    std::size_t loads = 0, stores = 0;
    for (const timing::Request& r : session_.trace().requests)
      if (!r.isShared && r.issued <= now && now < r.done) ++(r.isStore ? stores : loads);
    add("On all roads now: {} and {}.", "Сейчас на всех дорогах: {} и {}.", counted(loads, {"load", "loads"}, {"чтение", "чтения", "чтений"}),
        counted(stores, {"store", "stores"}, {"запись", "записи", "записей"}));
  }

  const Variant& variant_;
  const Moment& moment_;
  const FoundMoment& found_;
  const session::Session& session_;
  std::string_view language_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string maskText(machine::LaneMask mask) {
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lane % 8 == 0 && lane != 0) text += ' ';
    text += (mask >> lane) & 1u ? '#' : '.';
  }
  return text;
}

std::string sourceLine(const std::string& path, std::uint32_t line) {
  const auto text = readTextFile(path, 1 << 20);
  if (!text) return {};
  const std::string found = lineOf(*text, line);
  const std::size_t begin = found.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : found.substr(begin);
}

std::vector<std::string> describeMoment(const Variant& variant, const Moment& moment, session::Session& session, std::string_view language) {
  const auto found = findMoment(moment, session.machine(), session.trace());
  if (!found) return {say(language, "The run has no such moment.", "Такого момента в этом прогоне нет.")};
  session.seek(found->at);
  return Describer(variant, moment, *found, session, language).lines();
}

}  // namespace warpmill::lesson
