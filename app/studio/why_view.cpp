#include "studio/why_view.h"

#include "presenter/stall_group.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace warpmill::studio {

namespace {

constexpr std::size_t mostBars = 8;

QString resourceName(const std::string& name) {
  if (name == "dram") return WhyView::tr("DRAM");
  if (name == "l2") return WhyView::tr("L2 slices");
  if (name == "memory_pipe") return WhyView::tr("memory pipelines of the SMs");
  if (name == "issue") return WhyView::tr("schedulers");
  if (name == "branch") return WhyView::tr("branch units");
  if (name == "atomics") return WhyView::tr("busiest unit for atomics");
  if (name == "block_launch") return WhyView::tr("start of blocks");
  if (name == "launch") return WhyView::tr("start and end of the kernel");
  return WhyView::tr("pipe %1").arg(QString::fromStdString(name.substr(name.find('_') + 1)));
}

QString remedyName(const std::string& name, const std::string& says) {
  if (name == "dram_bandwidth_x2") return WhyView::tr("twice the DRAM bandwidth");
  if (name == "perfect_cache") return WhyView::tr("a cache that never goes to DRAM");
  if (name == "l2_bandwidth_x2") return WhyView::tr("twice the bandwidth of L2");
  if (name == "no_conflicts") return WhyView::tr("memory pipelines that are never busy");
  if (name == "free_arithmetic") return WhyView::tr("arithmetic in one cycle");
  if (name == "free_atomics") return WhyView::tr("atomics that take no turns");
  if (name == "free_barriers") return WhyView::tr("barriers that let go at once");
  if (name == "free_branches") return WhyView::tr("branches without delay");
  if (name == "free_launch") return WhyView::tr("no cost of starting kernel and blocks");
  return QString::fromStdString(says);
}

// By the bound's name, in the words of sim/profile/verdict.cpp; both languages here.
QString russianAdvice(const std::string& bound) {
  static const std::pair<const char*, const char*> all[] = {
      {"memory bandwidth", "переносить меньше байтов: повторно использовать загруженное, сливать ядра, брать типы поменьше, читать целыми секторами"},
      {"memory latency", "больше чтений одновременно: больше варпов или независимых чтений на поток; либо данные, которые помещаются в L2"},
      {"L2 bandwidth", "держать данные в регистрах или разделяемой памяти; целые строки вместо разрозненных секторов"},
      {"L1", "соседние дорожки — к соседним словам; чтения шире; повторное использование в регистрах"},
      {"shared memory", "отступы против конфликтов банков; обращения шире; больше плитки в регистрах"},
      {"shared memory latency", "больше варпов или независимой работы между чтением разделяемой памяти и использованием"},
      {"compute", "меньше операций или операции дешевле: без деления и 64-битных индексов в цикле, тензорные ядра"},
      {"divergence", "пусть дорожки варпа идут одним путём: упорядочить работу или дать варпу похожее"},
      {"atomics", "сначала складывать в регистрах, в варпе или в разделяемой памяти; разнести адреса"},
      {"barriers", "меньше барьеров, меньше блоки или работа внутри варпа"},
      {"branches", "развернуть цикл; меньше ветвлений"},
      {"instruction latency", "больше варпов или больше независимых инструкций в каждом"},
      {"instruction fetch", "программа короче или больше работы на каждый запуск"},
      {"sleep", "ядро спит по собственной воле (nanosleep)"},
      {"parallelism", "больше блоков: сетка, которая даёт работу каждому SM"},
      {"block launch", "блоки крупнее или больше работы на поток, чтобы их было меньше"},
      {"launch overhead", "больше работы за один запуск; меньше запусков"},
  };
  for (const auto& [name, text] : all)
    if (bound == name) return QString::fromUtf8(text);
  return {};
}

}  // namespace

WhyView::WhyView(bool russian, QWidget* parent) : QWidget(parent), russian_(russian), ask_(new QPushButton(tr("What would help?"), this)) {
  setMinimumSize(theme().px(220), theme().px(120));
  ask_->setToolTip(tr("Simulates the launch again and again, with one bottleneck lifted at a time: takes some seconds for each"));
  connect(ask_, &QPushButton::clicked, this, &WhyView::asked);
  setFocusPolicy(Qt::StrongFocus);
}

void WhyView::setReport(const profile::Report* report, const QString& message) {
  report_.reset();
  if (report != nullptr && report->timeUs) report_ = *report;
  message_ = message;
  ask_->setVisible(report_.has_value());
  setAccessibleName(describe());
  update();
}

void WhyView::setRemedies(const std::vector<WhatIf>& remedies, bool isAsking) {
  remedies_ = remedies;
  isAsking_ = isAsking;
  ask_->setEnabled(!isAsking && remedies.empty());
  ask_->setText(isAsking ? tr("simulating...") : tr("What would help?"));
  setAccessibleName(describe());
  update();
}

std::vector<WhyView::Bar> WhyView::resources() const {
  std::vector<Bar> bars;
  if (!report_) return bars;
  for (const profile::Resource& r : report_->verdictOnTime.resources)
    if (bars.size() < mostBars && r.share >= 0.005) bars.push_back({resourceName(r.name), figureText(100 * r.share, russian_) + " %", r.share, {}});
  return bars;
}

std::vector<WhyView::Bar> WhyView::stalls() const {
  std::vector<Bar> bars;
  if (!report_) return bars;
  double most = 0;
  for (std::size_t i = 0; i < timing::stallCount; ++i) {
    const auto stall = static_cast<timing::Stall>(i);
    const auto found = report_->stalls.find(std::string(timing::stallName(stall)));
    if (found == report_->stalls.end() || found->second < 0.005) continue;
    most = std::max(most, found->second);
    bars.push_back({QString::fromStdString(found->first), figureText(found->second, russian_), found->second, stall});
  }
  for (Bar& bar : bars) bar.share /= most;
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.share > b.share; });
  if (bars.size() > mostBars) bars.resize(mostBars);
  return bars;
}

std::vector<WhyView::Bar> WhyView::gains() const {
  std::vector<Bar> bars;
  for (const WhatIf& w : remedies_)
    if (w.gainPct >= 1 && bars.size() < mostBars) bars.push_back({remedyName(w.name, w.says), QString(QChar(0x2212)) + figureText(w.gainPct, russian_) + " %", w.gainPct / 100, {}});
  return bars;
}

QString WhyView::advice() const {
  if (!report_) return {};
  const profile::Verdict& v = report_->verdictOnTime;
  return russian_ ? russianAdvice(v.bound) : QString::fromStdString(v.advice);
}

QString WhyView::describe() const {
  if (!report_) return message_;
  QStringList lines{boundWords(report_->verdictOnTime.bound), advice()};
  const auto add = [&](const QString& title, const std::vector<Bar>& bars) {
    QStringList parts;
    for (const Bar& bar : bars) parts.append(bar.name + " " + bar.value);
    if (!parts.isEmpty()) lines.append(title + ": " + parts.join(", "));
  };
  add(tr("how busy"), resources());
  add(tr("what warps wait for, cycles an instruction"), stalls());
  add(tr("less time with"), gains());
  return lines.join(". ");
}

QRectF WhyView::column(int number) const {
  const Theme& th = theme();
  const double margin = th.px(14), gap = th.px(22), each = (width() - 2 * margin - 2 * gap) / 3.0;
  return {margin + number * (each + gap), static_cast<double>(th.px(8)), each, static_cast<double>(height() - th.px(12))};
}

void WhyView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const QRectF area = column(0);
  ask_->setGeometry(static_cast<int>(area.left()), height() - theme().px(40), std::min(static_cast<int>(area.width()), ask_->sizeHint().width()), theme().px(32));
}

void WhyView::paintBars(QPainter& painter, const QRectF& area, const QString& title, const std::vector<Bar>& bars) const {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  painter.setFont(th.sans(12, QFont::DemiBold));
  painter.setPen(t.mid);
  painter.drawText(QRectF(area.left(), area.top(), area.width(), th.px(18)), Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(area.width())));
  const double row = th.px(25), valueWidth = th.px(58);
  double y = area.top() + th.px(24);
  for (const Bar& bar : bars) {
    if (y + row > area.bottom()) break;
    double left = area.left();
    if (bar.stall) {   // the letter of its group, as on a crew's chip
      const char letter = presenter::letterOf(presenter::groupOf(*bar.stall));
      painter.setFont(th.sans(12, QFont::Bold));
      painter.setPen(t.hi);
      painter.drawText(QRectF(left, y, th.px(16), th.px(16)), Qt::AlignLeft | Qt::AlignVCenter, QString(QChar(letter)));
      left += th.px(18);
    }
    painter.setFont(th.sans(13));
    painter.setPen(t.hi);
    const double nameWidth = area.right() - valueWidth - left;
    painter.drawText(QRectF(left, y, nameWidth, th.px(16)), Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(bar.name, Qt::ElideRight, static_cast<int>(nameWidth)));
    painter.setFont(th.sans(13, QFont::Medium));
    painter.setPen(t.simulated);
    painter.drawText(QRectF(area.right() - valueWidth, y, valueWidth, th.px(16)), Qt::AlignRight | Qt::AlignVCenter, bar.value);
    const QRectF track(area.left(), y + th.px(17), area.width(), th.px(3));
    painter.fillRect(track, t.control);
    painter.fillRect(QRectF(track.left(), track.top(), track.width() * std::clamp(bar.share, 0.0, 1.0), track.height()), t.simulated);
    y += row;
  }
}

void WhyView::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!report_) {
    painter.setFont(th.sans(13));
    painter.setPen(t.mid);
    painter.drawText(rect().adjusted(th.px(16), 0, -th.px(16), 0), Qt::AlignCenter | Qt::TextWordWrap, message_);
    return;
  }
  QRectF first = column(0);
  painter.setFont(th.sans(15, QFont::DemiBold));
  painter.setPen(t.hi);
  const QString title = boundWords(report_->verdictOnTime.bound);
  QRectF used;
  painter.drawText(QRectF(first.left(), first.top() - th.px(2), first.width(), th.px(44)), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, title, &used);
  first.setTop(used.bottom() + th.px(4));
  painter.setFont(th.sans(13));
  painter.setPen(t.mid);
  painter.drawText(QRectF(first.left(), first.top(), first.width(), th.px(90)), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, advice(), &used);
  if (!remedies_.empty()) {
    first.setTop(used.bottom() + th.px(8));
    const auto all = gains();
    paintBars(painter, first, all.empty() ? tr("nothing alone gains 1 %") : tr("less time with"), all);
  }
  paintBars(painter, column(1), tr("how busy"), resources());
  paintBars(painter, column(2), tr("what warps wait for, cycles an instruction"), stalls());
}

}  // namespace warpmill::studio
