#include "studio/compare_panel.h"

#include "studio/lesson_guide.h"
#include "studio/lesson_measures.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/roofline_plot.h"
#include "studio/size_plot.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>
#include <map>

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
      header_(new PanelHeader(QStringList{tr("Compare"), tr("Sizes")}, nullptr)),
      model_(new CompareModel(russian, this)),
      table_(new PlainTable(this)),
      plot_(new RooflinePlot(this)),
      sizePlot_(new SizePlot(this)),
      measures_(new LessonMeasures(this)),
      source_(new QToolButton(this)) {
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
  auto* figures = new QWidget(this);
  auto* row = new QHBoxLayout(figures);
  row->setContentsMargins(0, th.px(4), 0, 0);
  row->setSpacing(th.px(8));
  row->addWidget(table_, 62);
  row->addWidget(plot_, 38);
  pages_ = new QStackedLayout(this);
  pages_->addWidget(figures);
  pages_->addWidget(sizePlot_);
  makeSourceMenu();
  connect(header_, &PanelHeader::tabChosen, this, [this](int tab) { showSizes(tab == 1); });
  connect(measures_, &LessonMeasures::changed, this, &ComparePanel::refresh);
  connect(measures_, &LessonMeasures::measured, this, [this] { guide_.useRecord(*measures_->record()); });
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

void ComparePanel::showSizes(bool sizes) {
  header_->setCurrentTab(sizes ? 1 : 0);
  pages_->setCurrentIndex(sizes ? 1 : 0);
  refresh();
}

void ComparePanel::refresh() {
  measures_->setLesson(guide_.isOpen() ? guide_.shared() : nullptr);
  refreshSource();
  if (pages_->currentIndex() == 1) refreshSizes();
  if (guide_.isOpen()) refreshLesson();
  else refreshLaunch();
}

bool ComparePanel::isSecret() const {
  const lesson::Step* step = guide_.current();
  return step != nullptr && step->kind == lesson::StepKind::Predict && !guide_.isChecked();
}

// ---- Where the measured figures come from ----

void ComparePanel::makeSourceMenu() {
  source_->setObjectName("measured-source");
  source_->setPopupMode(QToolButton::InstantPopup);
  source_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  source_->setFont(theme().sans(12));
  source_->setAutoRaise(true);
  source_->setFocusPolicy(Qt::TabFocus);
  auto* menu = new QMenu(source_);
  menu->addAction(tr("The lesson's record"), this, [this] {
    measures_->cancel();
    guide_.useLessonRecord();
  });
  menu->addAction(tr("Run on this machine's GPU"), this, [this] { runOnGpu({}); });
  menu->addAction(tr("Run on another machine..."), this, &ComparePanel::askHost);
  menu->addAction(tr("Open a record..."), this, &ComparePanel::openRecord);
  source_->setMenu(menu);
  header_->insertAfterTitle(source_);
}

void ComparePanel::runOnGpu(const QString& host) { measures_->measure(host); }

void ComparePanel::askHost() {
  bool chosen = false;
  const QString host = QInputDialog::getText(this, tr("Run on another machine"), tr("Its name, as ssh knows it. An NVIDIA driver is all that it needs."), QLineEdit::Normal, {}, &chosen);
  if (chosen && !host.trimmed().isEmpty()) runOnGpu(host.trimmed());
}

// What `warpmill measure LESSON --json FILE` wrote, on whatever machine.
void ComparePanel::openRecord() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a record"), {}, tr("Records (*.json);;All files (*)"));
  if (path.isEmpty()) return;
  if (!useRecordFile(path)) QMessageBox::warning(this, tr("Open a record"), tr("%1 holds no measurements of this lesson.").arg(path));
}

bool ComparePanel::useRecordFile(const QString& path) {
  if (!guide_.isOpen()) return false;
  auto record = lesson::readMeasured(path.toStdString());
  if (!record) return false;
  const lesson::Lesson& lesson = guide_.lesson();
  const bool fits = std::any_of(lesson.variants.begin(), lesson.variants.end(), [&](const lesson::Variant& v) { return record->result(v.full.name) != nullptr; });
  if (fits) guide_.useRecord(std::move(*record));
  return fits;
}

void ComparePanel::refreshSource() {
  source_->setVisible(guide_.isOpen());
  if (!guide_.isOpen()) return;
  const lesson::Measured* m = guide_.runs().measured();
  QString text = m == nullptr ? tr("no record of a real GPU") : QString::fromStdString(m->device);
  if (m != nullptr && !m->date.empty()) text += ", " + QString::fromStdString(m->date);
  if (m != nullptr) text = (guide_.runs().isLessonRecord() ? tr("record: %1") : tr("measured: %1")).arg(text);
  if (measures_->isMeasuring()) text = measures_->progress().isEmpty() ? tr("measuring...") : tr("measuring: %1").arg(measures_->progress());
  source_->setText(text + " ");
  QString tip = m == nullptr ? QString() : tr("driver %1; %2").arg(QString::fromStdString(m->driver), QString::fromStdString(m->origin));
  if (!measures_->error().isEmpty()) tip = measures_->error();
  source_->setToolTip(tip);
  source_->setAccessibleName(tr("Where the measured figures come from: %1").arg(text));
}

// ---- All sizes ----

namespace {

// PyTorch's own operation, where the record has it: results named LESSON/eager/SIZE, with the sizes that the variants' launches have.
void addEager(const lesson::Lesson& lesson, const lesson::Measured* record, std::vector<SizeCurve>& curves) {
  if (record == nullptr) return;
  SizeCurve eager;
  eager.name = "PyTorch";
  std::map<std::string, const launch::Launch*> bySize;
  for (const lesson::Variant& variant : lesson.variants)
    for (const launch::Launch& l : variant.sweep) bySize.emplace(l.name.substr(l.name.rfind('/') + 1), &l);
  for (const lesson::MeasuredResult& r : record->results) {
    if (r.error || !r.name.starts_with(lesson.id + "/eager/")) continue;
    const auto same = bySize.find(r.name.substr(r.name.rfind('/') + 1));
    if (same == bySize.end() || !same->second->workBytes || !(r.cold.median > 0)) continue;
    eager.points.push_back({static_cast<double>(same->second->arguments[lesson.check.count].bits), std::nullopt, *same->second->workBytes / (r.cold.median * 1000), {}});
  }
  std::sort(eager.points.begin(), eager.points.end(), [](const SizePoint& a, const SizePoint& b) { return a.size < b.size; });
  if (!eager.points.empty()) curves.push_back(std::move(eager));
}

}  // namespace

void ComparePanel::refreshSizes() {
  if (!guide_.isOpen()) return sizePlot_->setMessage(tr("The curves over all sizes belong to a lesson."));
  if (isSecret()) return sizePlot_->setMessage(tr("the figures come when you have answered"));
  measures_->wantSizes();
  const lesson::Lesson& lesson = guide_.lesson();
  const lesson::Measured* record = guide_.runs().measured();
  const std::size_t focus = player_.isOpen() && player_.document().request.lesson != nullptr ? player_.document().launchIndex : 0;
  std::vector<SizeCurve> curves;
  for (std::size_t v = 0; v < lesson.variants.size(); ++v) {
    const lesson::Variant& variant = lesson.variants[v];
    SizeCurve curve;
    curve.name = QString::fromStdString(variant.id);
    curve.focused = v == std::min(focus, lesson.variants.size() - 1);
    for (const launch::Launch& l : variant.sweep) {
      if (!l.workBytes || lesson.check.count >= l.arguments.size()) continue;
      SizePoint point;
      point.size = static_cast<double>(l.arguments[lesson.check.count].bits);
      const auto rate = [&](double us) { return us > 0 ? std::optional<double>(*l.workBytes / (us * 1000)) : std::nullopt; };
      if (const auto found = measures_->sizes().find(l.name); found != measures_->sizes().end()) {
        point.simulated = rate(found->second.timeUs);
        point.limit = QString::fromStdString(found->second.limit);
      }
      if (const lesson::MeasuredResult* r = record != nullptr ? record->result(l.name) : nullptr; r != nullptr && !r->error) {
        const auto ns = r->counters.find("gpu__time_duration.sum");
        point.measured = rate(ns != r->counters.end() ? ns->second / 1000 : r->cold.median);
      }
      curve.points.push_back(std::move(point));
    }
    std::sort(curve.points.begin(), curve.points.end(), [](const SizePoint& a, const SizePoint& b) { return a.size < b.size; });
    curves.push_back(std::move(curve));
  }
  addEager(lesson, record, curves);
  sizePlot_->setMessage(measures_->sizesError());
  sizePlot_->setCurves(std::move(curves), guide_.runs().figures().get("device.peak_tbps").value_or(0) * 1000);
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
  const bool secret = isSecret();
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
  QString caption = QString::fromStdString(lesson::localized(variant.title, russian_ ? "ru" : "en"));
  if (busy) caption += "  ·  " + tr("simulating the full size...");
  if (measures_->isSimulating()) caption += "  ·  " + tr("simulating all sizes...");
  header_->setCaption(caption);
  header_->setNote(!measures_->error().isEmpty() ? measures_->error() : secret ? tr("the figures come when you have answered") : QString());
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
  header_->setCaption(QString::fromStdString(document.report.verdictOnTime.bound));
  plot_->setRoofs(figures.get("device.fp32_tflops").value_or(0), figures.get("device.peak_tbps").value_or(0));
  if (const auto intensity = figures.get("scale.run.flop_per_byte"); intensity && *intensity > 0)
    plot_->setPoints({{QString::fromStdString(document.report.name), *intensity, figures.get("scale.run.gflops").value_or(0) / 1000, std::nullopt, true}});
}

}  // namespace warpmill::studio
