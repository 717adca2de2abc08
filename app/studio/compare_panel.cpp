#include "studio/compare_panel.h"

#include "studio/lesson_guide.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/roofline_plot.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>

#include <algorithm>

namespace warpmill::studio {

namespace {

// Signed bar from a common zero, figure at the right.
class DifferenceDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    CellDelegate::paint(painter, option, index);
    const Theme& th = theme();
    const Tokens& t = th.tokens();
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), withAlpha(t.line, 0.7));
    if (index.column() != CompareModel::Difference) return;
    const auto& row = static_cast<const CompareModel*>(index.model())->rows()[static_cast<std::size_t>(index.row())];
    const auto difference = row.difference();
    if (!difference) return;
    constexpr double pixelsPerPercent = 3.2, longest = 26;
    const double zero = option.rect.right() - th.px(84);
    const double length = std::clamp(*difference * 100 * pixelsPerPercent, -longest, longest) * th.scale();
    const double height = th.px(9), top = option.rect.center().y() - height / 2 + 0.5;
    painter->fillRect(QRectF(std::min(zero, zero + length), top, std::abs(length), height), *difference > 0 ? t.positive : t.negative);
    painter->fillRect(QRectF(zero, top - th.px(3), 1, height + th.px(6)), t.strong);
  }
};

// A column's title with the mark of its series.
class MarkedHeader : public QHeaderView {
 public:
  explicit MarkedHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override {
    const Theme& th = theme();
    const Tokens& t = th.tokens();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillRect(rect, t.panel);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.strong);
    const bool series = section == CompareModel::Simulated || section == CompareModel::Measured;
    const QFont font = th.sans(12, series ? QFont::Medium : QFont::Normal);
    const QString text = model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
    const int align = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    painter->setFont(font);
    painter->setPen(series ? t.mid : t.low);
    const QRect inner = rect.adjusted(section == 0 ? th.px(14) : 0, 0, -th.px(8), 0);
    painter->drawText(inner, align, text);
    const QPointF mark(inner.right() - QFontMetrics(font).horizontalAdvance(text) - th.px(10), rect.center().y() + 0.5);
    if (section == CompareModel::Simulated) paintSimulatedMark(*painter, mark, 4.4 * th.scale());
    if (section == CompareModel::Measured) paintMeasuredMark(*painter, mark, 3.8 * th.scale());
    painter->restore();
  }
};

std::vector<std::string> defaultFigures() {
  return {"time_us", "useful_gbps", "peak_pct", "gflops", "sectors_per_request", "dram_read_mb", "dram_write_mb", "occupancy_pct", "issue_pct"};
}

}  // namespace

ComparePanel::ComparePanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent)
    : QWidget(parent),
      guide_(guide),
      player_(player),
      russian_(russian),
      header_(new PanelHeader(tr("Compare"))),
      model_(new CompareModel(russian, this)),
      table_(new PlainTable(this)),
      plot_(new RooflinePlot(this)) {
  const Theme& th = theme();
  table_->setHorizontalHeader(new MarkedHeader(table_));
  auto* delegate = new DifferenceDelegate(table_);
  table_->setItemDelegate(delegate);
  table_->setModel(model_);
  table_->setRowHeight(23.5);
  table_->setAccessibleName(tr("Simulated and measured figures"));
  table_->setFocusPolicy(Qt::StrongFocus);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  delegate->setPadding(14, 8);
  QHeaderView* head = table_->horizontalHeader();
  head->setFixedHeight(th.px(26));
  head->setSectionResizeMode(QHeaderView::Fixed);
  head->setSectionResizeMode(CompareModel::Name, QHeaderView::Stretch);
  head->resizeSection(CompareModel::Simulated, th.px(88));
  head->resizeSection(CompareModel::Measured, th.px(84));
  head->resizeSection(CompareModel::Difference, th.px(108));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, th.px(4), 0, 0);
  row->setSpacing(th.px(8));
  row->addWidget(table_, 62);
  row->addWidget(plot_, 38);
  connect(&guide_, &LessonGuide::changed, this, &ComparePanel::refresh);
  connect(&player_, &Player::opened, this, &ComparePanel::refresh);
  connect(&player_, &Player::failed, this, &ComparePanel::refresh);
  refresh();
}

// Where both do not fit, the figures stay.
void ComparePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  plot_->setVisible(width() >= theme().px(640));
}

void ComparePanel::refresh() {
  if (guide_.isOpen()) refreshLesson();
  else refreshLaunch();
}

void ComparePanel::refreshLesson() {
  const lesson::Lesson& lesson = guide_.lesson();
  const lesson::Figures& figures = guide_.runs().figures();
  const std::size_t focus = player_.isOpen() && player_.document().request.lesson != nullptr ? player_.document().launchIndex : 0;
  const lesson::Variant& variant = lesson.variants[std::min(focus, lesson.variants.size() - 1)];
  std::vector<std::string> names = defaultFigures();
  for (const lesson::Step& step : lesson.steps)
    if (step.kind == lesson::StepKind::Compare && !step.figures.empty()) names = step.figures;
  std::vector<CompareRow> rows;
  for (const std::string& name : names) {
    const lesson::FigureInfo* info = lesson::figureInfo(name);
    if (info == nullptr) continue;
    CompareRow row;
    const std::string_view words = russian_ ? info->russian : info->english;
    row.name = QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
    row.unit = QString::fromUtf8(info->unit.data(), static_cast<qsizetype>(info->unit.size())).replace("us", QString(QChar(0x00B5)) + "s");
    row.simulated = figures.get("full." + variant.id + "." + name);
    row.measured = figures.get("real." + variant.id + "." + name);
    rows.push_back(std::move(row));
  }
  const auto elements = figures.get("full." + variant.id + ".elements");
  const bool busy = guide_.runs().isBusy();
  // The figures answer the lesson's question: not before the learner has.
  const lesson::Step* step = guide_.current();
  const bool secret = step != nullptr && step->kind == lesson::StepKind::Predict && !guide_.isChecked();
  if (secret)
    for (CompareRow& row : rows) row.simulated = row.measured = std::nullopt;
  model_->setRows(std::move(rows), elements ? tr("%1 elements").arg(thousands(static_cast<std::uint64_t>(*elements))) : tr("full size"), busy);

  std::vector<RooflinePoint> points;
  for (const lesson::Variant& each : lesson.variants) {
    const auto intensity = figures.get("full." + each.id + ".flop_per_byte");
    if (!intensity || *intensity <= 0) continue;
    RooflinePoint point;
    point.name = QString::fromStdString(each.id);
    point.flopPerByte = *intensity;
    point.focused = &each == &variant;
    if (secret) continue;
    const auto scaled = [](std::optional<double> gflops) { return gflops ? std::optional<double>(*gflops / 1000) : std::nullopt; };
    point.simulated = scaled(figures.get("full." + each.id + ".gflops"));
    point.measured = scaled(figures.get("real." + each.id + ".gflops"));
    points.push_back(std::move(point));
  }
  plot_->setRoofs(figures.get("device.fp32_tflops").value_or(0), figures.get("device.peak_tbps").value_or(0));
  plot_->setPoints(std::move(points));
  const lesson::Measured* measured = guide_.runs().measured();
  QString caption = QString::fromStdString(lesson::localized(variant.title, russian_ ? "ru" : "en"));
  if (busy) caption += "  ·  " + tr("simulating the full size...");
  header_->setCaption(caption);
  header_->setNote(secret ? tr("the figures come when you have answered") : measured == nullptr ? tr("no record of a real GPU")
                                       : tr("full size, simulated beside a recorded %1").arg(QString::fromStdString(measured->device)));
}

// A launch of the user's own: what the simulator says of it, with nothing to compare to.
void ComparePanel::refreshLaunch() {
  plot_->setPoints({});
  if (!player_.isOpen()) {
    model_->setRows({}, {}, false);
    header_->setCaption({});
    header_->setNote({});
    plot_->setRoofs(0, 0);
    return;
  }
  const Document& document = player_.document();
  lesson::Figures figures;
  lesson::Variant variant;
  variant.id = "run";
  variant.scale = document.simulated->launch().launch;
  figures.addDevice(document.simulated->profile());
  figures.addReport("scale", variant, variant.scale, document.simulated->profile(), document.report);
  std::vector<CompareRow> rows;
  for (const std::string& name : defaultFigures()) {
    const lesson::FigureInfo* info = lesson::figureInfo(name);
    if (info == nullptr) continue;
    const std::string_view words = russian_ ? info->russian : info->english;
    rows.push_back({QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size())),
                    QString::fromUtf8(info->unit.data(), static_cast<qsizetype>(info->unit.size())).replace("us", QString(QChar(0x00B5)) + "s"),
                    figures.get("scale.run." + name), std::nullopt});
  }
  model_->setRows(std::move(rows), machineName(document.machine), false);
  header_->setNote(tr("no record of a real GPU"));
  header_->setCaption(QString::fromStdString(document.report.limit));
  plot_->setRoofs(figures.get("device.fp32_tflops").value_or(0), figures.get("device.peak_tbps").value_or(0));
  if (const auto intensity = figures.get("scale.run.flop_per_byte"); intensity && *intensity > 0)
    plot_->setPoints({{QString::fromStdString(document.report.name), *intensity, figures.get("scale.run.gflops").value_or(0) / 1000, std::nullopt, true}});
}

}  // namespace warpmill::studio
