#include "studio/compare_panel.h"

#include "studio/launch_figures.h"
#include "studio/lesson_guide.h"
#include "studio/measures.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/roofline_plot.h"
#include "studio/size_plot.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/why_view.h"
#include "studio/words.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
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
    if (index.column() != CompareModel::Ratio) return;
    const auto& row = static_cast<const CompareModel*>(index.model())->rows()[static_cast<std::size_t>(index.row())];
    const auto ratio = row.ratio();
    if (!ratio) return;
    constexpr double pixelsPerPercent = 1.4, longest = 20;
    const double difference = *ratio - 1;
    const double zero = option.rect.right() - th.px(62);
    const double length = std::clamp(difference * 100 * pixelsPerPercent, -longest, longest) * th.scale();
    const double height = th.px(9), top = option.rect.center().y() - height / 2 + 0.5;
    painter->fillRect(QRectF(std::min(zero, zero + length), top, std::abs(length), height), difference > 0 ? t.positive : t.negative);
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
  return {"time_us", "useful_gbps", "moved_gbps", "peak_pct", "gflops", "fp32_peak_pct", "sectors_per_request", "dram_read_mb", "dram_write_mb", "occupancy_pct", "issue_pct"};
}

// What the device allows at most; of a time, the least in which its peaks move the bytes and make the operations.
std::optional<double> peakOf(const std::string& figure, const std::string& prefix, const lesson::Figures& figures) {
  const lesson::FigureInfo* info = lesson::figureInfo(figure);
  if (figure == "useful_gbps" || figure == "moved_gbps") return figures.get("device.peak_gbps");
  const auto tflops = figures.get("device.fp32_tflops");
  if (figure == "gflops" && tflops) return *tflops * 1000;
  if (info != nullptr && info->unit == "%") return 100;
  if (figure != "time_us") return std::nullopt;
  const auto bytes = figures.get(prefix + "least_time_us"), intensity = figures.get(prefix + "flop_per_byte"), ridge = figures.get("device.ridge");
  if (!bytes) return std::nullopt;
  return intensity && ridge && *intensity > *ridge ? *bytes * *intensity / *ridge : *bytes;
}

}  // namespace

ComparePanel::ComparePanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent)
    : QWidget(parent),
      guide_(guide),
      player_(player),
      russian_(russian),
      header_(new PanelHeader(QStringList{tr("Compare"), tr("Sizes"), tr("Why")}, nullptr)),
      model_(new CompareModel(russian, this)),
      table_(new PlainTable(this)),
      plot_(new RooflinePlot(this)),
      sizePlot_(new SizePlot(this)),
      why_(new WhyView(russian, this)),
      measures_(new Measures(this)),
      own_(std::make_unique<LaunchFigures>()),
      source_(new QToolButton(this)),
      against_(new QToolButton(this)) {
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
  head->resizeSection(CompareModel::Simulated, th.px(92));
  head->resizeSection(CompareModel::Measured, th.px(88));
  head->resizeSection(CompareModel::Peak, th.px(66));
  head->resizeSection(CompareModel::Ratio, th.px(88));
  auto* figures = new QWidget(this);
  auto* row = new QHBoxLayout(figures);
  row->setContentsMargins(0, th.px(4), 0, 0);
  row->setSpacing(th.px(8));
  row->addWidget(table_, 68);
  row->addWidget(plot_, 32);
  pages_ = new QStackedLayout(this);
  pages_->addWidget(figures);
  pages_->addWidget(sizePlot_);
  pages_->addWidget(why_);
  makeSourceMenu();
  connect(header_, &PanelHeader::tabChosen, this, [this](int tab) { showPage(static_cast<Page>(tab)); });
  connect(why_, &WhyView::asked, this, [this] { measures_->askWhatIf(shownLaunch()); });
  connect(measures_, &Measures::changed, this, &ComparePanel::refresh);
  connect(measures_, &Measures::measured, this, [this] {
    if (guide_.isOpen()) guide_.useRecord(*measures_->record());
    else if (own_->addRecord(*measures_->record())) refresh();
  });
  connect(&guide_, &LessonGuide::changed, this, &ComparePanel::refresh);
  connect(&player_, &Player::opened, this, &ComparePanel::refresh);
  connect(&player_, &Player::failed, this, &ComparePanel::refresh);
  refresh();
}

ComparePanel::~ComparePanel() = default;

// Where both do not fit, the figures stay.
void ComparePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  plot_->setVisible(width() >= theme().px(640));
}

void ComparePanel::showPage(Page page) {
  header_->setCurrentTab(page);
  pages_->setCurrentIndex(page);
  refresh();
}

std::string ComparePanel::shownLaunch() const {
  if (own_->isOpen()) return own_->launches()[own_->indexOf(player_.document())].name;
  if (!guide_.isOpen()) return {};
  const std::size_t focus = player_.isOpen() && player_.document().request.lesson != nullptr ? player_.document().launchIndex : 0;
  return guide_.lesson().variants[std::min(focus, guide_.lesson().variants.size() - 1)].full.name;
}

void ComparePanel::refreshWhy() {
  const std::string name = shownLaunch();
  if (name.empty()) return why_->setReport(nullptr, tr("No launch is open."));
  if (isSecret()) return why_->setReport(nullptr, tr("the figures come when you have answered"));
  measures_->wantRuns({name});
  const auto run = measures_->runs().find(name);
  why_->setReport(run == measures_->runs().end() ? nullptr : &run->second, measures_->isSimulating() ? tr("simulating the full size...") : measures_->runsError());
  why_->setRemedies(measures_->whatIf(name), measures_->isAsking());
}

void ComparePanel::setSubject() {
  if (guide_.isOpen()) {
    own_->close();
    const lesson::Lesson& lesson = guide_.lesson();
    MeasureSubject subject{lesson.folder, lesson.device, {}};
    for (const QFileInfo& file : QDir(QString::fromStdString(lesson.folder)).entryInfoList({"*.json", "*.ptx"}, QDir::Files, QDir::Name)) subject.files.push_back(file.filePath().toStdString());
    return measures_->setSubject(std::move(subject));
  }
  if (!player_.isOpen() || player_.document().request.launchFile.empty()) {
    own_->close();
    return measures_->setSubject(std::nullopt);
  }
  if (own_->open(player_.document())) base_.reset();
  if (own_->isOpen()) measures_->setSubject(own_->subject());
}

void ComparePanel::refresh() {
  if (refreshing_) return;   // what is asked for below says that it has changed
  refreshing_ = true;
  setSubject();
  if (own_->isOpen()) {
    measures_->wantRuns(neededRuns());
    own_->setRuns(measures_->runs());
  }
  refreshSource();
  refreshAgainst();
  if (pages_->currentIndex() == Sizes) refreshSizes();
  if (pages_->currentIndex() == Why) refreshWhy();
  if (guide_.isOpen()) refreshLesson();
  else refreshLaunch();
  refreshing_ = false;
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
  menu->addAction(tr("The record that is there"), this, [this] {
    measures_->cancel();
    if (guide_.isOpen()) return guide_.useLessonRecord();
    own_->forgetRecord();
    refresh();
  });
  menu->addAction(tr("Run on this machine's GPU"), this, [this] { runOnGpu({}); });
  menu->addAction(tr("Run on another machine..."), this, &ComparePanel::askHost);
  menu->addAction(tr("Open a record..."), this, &ComparePanel::openRecord);
  source_->setMenu(menu);
  header_->insertAfterTitle(source_);
  against_->setObjectName("compared-with");
  against_->setPopupMode(QToolButton::InstantPopup);
  against_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  against_->setFont(theme().sans(12));
  against_->setAutoRaise(true);
  against_->setFocusPolicy(Qt::TabFocus);
  against_->setMenu(new QMenu(against_));
  header_->insertAfterTitle(against_);
}

// Of a long file those launches that are looked at, and their kin.
void ComparePanel::runOnGpu(const QString& host) {
  constexpr std::size_t few = 40;
  std::vector<std::string> names;
  if (own_->isOpen() && own_->launches().size() > few) {
    names = neededRuns();
    const std::size_t focus = own_->indexOf(player_.document());
    for (const LaunchFamily& family : own_->families()) {
      if (std::none_of(family.launches.begin(), family.launches.end(), [&](const auto& l) { return l.second == focus; })) continue;
      for (const auto& [value, index] : family.launches)
        if (const std::string& name = own_->launches()[index].name; std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  measures_->measure(host, names);
}

void ComparePanel::askHost() {
  bool chosen = false;
  const QString host = QInputDialog::getText(this, tr("Run on another machine"), tr("Its name, as ssh knows it. An NVIDIA driver is all that it needs."), QLineEdit::Normal, {}, &chosen);
  if (chosen && !host.trimmed().isEmpty()) runOnGpu(host.trimmed());
}

// What `warpmill measure LESSON --json FILE` wrote, on whatever machine.
void ComparePanel::openRecord() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a record"), {}, tr("Records (*.json);;All files (*)"));
  if (path.isEmpty()) return;
  if (!useRecordFile(path)) QMessageBox::warning(this, tr("Open a record"), tr("%1 holds no measurements of these launches.").arg(path));
}

bool ComparePanel::useRecordFile(const QString& path) {
  auto record = lesson::readMeasured(path.toStdString());
  if (!record) return false;
  if (own_->isOpen()) {
    const bool any = own_->addRecord(std::move(*record));
    refresh();
    return any;
  }
  if (!guide_.isOpen()) return false;
  const lesson::Lesson& lesson = guide_.lesson();
  const bool fits = std::any_of(lesson.variants.begin(), lesson.variants.end(), [&](const lesson::Variant& v) { return record->result(v.full.name) != nullptr; });
  if (fits) guide_.useRecord(std::move(*record));
  return fits;
}

void ComparePanel::refreshSource() {
  const bool isOwn = own_->isOpen();
  source_->setVisible(guide_.isOpen() || isOwn);
  if (!guide_.isOpen() && !isOwn) return;
  const lesson::Measured* m = isOwn ? own_->record() : guide_.runs().measured();
  QString text = m == nullptr ? tr("no record of a real GPU") : QString::fromStdString(m->device);
  if (m != nullptr && !m->date.empty()) text += ", " + QString::fromStdString(m->date);
  if (m != nullptr) text = ((isOwn ? own_->isFound() : guide_.runs().isLessonRecord()) ? tr("record: %1") : tr("measured: %1")).arg(text);
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
  if (guide_.isOpen()) return lessonSizes();
  if (own_->isOpen()) return launchSizes();
  sizePlot_->setCurves({}, 0);
  sizePlot_->setMessage(tr("No launch is open."));
}

void ComparePanel::lessonSizes() {
  if (isSecret()) return sizePlot_->setMessage(tr("the figures come when you have answered"));
  const lesson::Lesson& lesson = guide_.lesson();
  const lesson::Measured* record = guide_.runs().measured();
  const std::size_t focus = player_.isOpen() && player_.document().request.lesson != nullptr ? player_.document().launchIndex : 0;
  std::vector<std::string> names;
  for (const lesson::Variant& each : lesson.variants)
    for (const launch::Launch& l : each.sweep) names.push_back(l.name);
  measures_->wantRuns(names);
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
      if (const auto found = measures_->runs().find(l.name); found != measures_->runs().end() && found->second.timeUs) {
        point.simulated = rate(*found->second.timeUs);
        point.limit = QString::fromStdString(found->second.verdictOnTime.limit);
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
  sizePlot_->setMessage(measures_->runsError());
  sizePlot_->setAxes({}, {});
  sizePlot_->setCurves(std::move(curves), guide_.runs().figures().get("device.peak_tbps").value_or(0) * 1000);
}

// ---- The table and the roofline ----

void ComparePanel::refreshLesson() {
  const lesson::Lesson& lesson = guide_.lesson();
  Comparison c;
  c.figures = &guide_.runs().figures();
  const std::size_t focus = player_.isOpen() && player_.document().request.lesson != nullptr ? player_.document().launchIndex : 0;
  c.focus = std::min(focus, lesson.variants.size() - 1);
  if (c.focus != 0) c.base = 0;
  for (const lesson::Variant& v : lesson.variants) c.entries.push_back({QString::fromStdString(v.id), v.id});
  c.names = defaultFigures();
  for (const lesson::Step& step : lesson.steps)
    if (step.kind == lesson::StepKind::Compare && !step.figures.empty()) c.names = step.figures;
  c.busy = guide_.runs().isBusy();
  c.secret = isSecret();
  const lesson::Variant& variant = lesson.variants[c.focus];
  const auto elements = c.figures->get("full." + variant.id + ".elements");
  c.title = elements ? tr("%1 elements").arg(thousands(static_cast<std::uint64_t>(*elements))) : tr("full size");
  show(c);
  QString caption = QString::fromStdString(lesson::localized(variant.title, russian_ ? "ru" : "en"));
  if (c.busy) caption += "  ·  " + tr("simulating the full size...");
  if (measures_->isSimulating()) caption += "  ·  " + tr("simulating all sizes...");
  header_->setCaption(caption);
  header_->setNote(!measures_->error().isEmpty() ? measures_->error() : c.secret ? tr("the figures come when you have answered") : QString());
}

void ComparePanel::show(const Comparison& c) {
  const lesson::Figures& figures = *c.figures;
  const Comparison::Entry& focus = c.entries[c.focus];
  const std::string full = "full." + focus.id + ".", real = "real." + focus.id + ".";
  const auto value = [&](const std::string& name) { return c.secret ? std::nullopt : figures.get(name); };
  std::vector<CompareRow> rows;
  for (const std::string& name : c.names) {
    const lesson::FigureInfo* info = lesson::figureInfo(name);
    if (info == nullptr) continue;
    const std::string_view words = russian_ ? info->russian : info->english;
    CompareRow row{QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size())), figureUnit(info->unit, russian_), value(full + name), value(real + name), peakOf(name, full, figures)};
    if (row.simulated || row.measured || name == "time_us" || c.secret || c.busy) rows.push_back(std::move(row));
  }
  if (c.base) {
    const Comparison::Entry& base = c.entries[*c.base];
    const auto over = [&](const std::string& source) -> std::optional<double> {
      const auto before = value(source + base.id + ".time_us"), now = value(source + focus.id + ".time_us");
      return before && now && *now > 0 ? std::optional<double>(*before / *now) : std::nullopt;
    };
    rows.push_back({tr("times as fast as %1").arg(base.name), {}, over("full."), over("real."), {}});
  }
  model_->setRows(std::move(rows), c.title, c.busy);

  std::vector<RooflinePoint> points;
  for (std::size_t i = 0; i < c.entries.size() && !c.secret; ++i) {
    const std::string &id = c.entries[i].id;
    auto intensity = figures.get("full." + id + ".flop_per_byte");
    for (const char* source : {"full.", "real."})   // nothing is said to be useful: by the bytes that DRAM moved
      if (!intensity) intensity = figures.get(source + id + ".flop_per_moved_byte");
    if (!intensity || *intensity <= 0) continue;
    const auto scaled = [](std::optional<double> gflops) { return gflops ? std::optional<double>(*gflops / 1000) : std::nullopt; };
    RooflinePoint point{c.entries[i].name, *intensity, scaled(figures.get("full." + id + ".gflops")), scaled(figures.get("real." + id + ".gflops")), i == c.focus};
    if (point.simulated || point.measured) points.push_back(std::move(point));
  }
  plot_->setRoofs(figures.get("device.fp32_tflops").value_or(0), figures.get("device.peak_tbps").value_or(0));
  plot_->setPoints(std::move(points));
}

QString ComparePanel::describe() const {
  QStringList lines{header_->caption(), source_->text().trimmed()};
  for (int row = 0; row < model_->rowCount(); ++row) {
    const auto text = [&](int column) { return model_->data(model_->index(row, column), Qt::DisplayRole).toString(); };
    QString line = text(CompareModel::Name) + ": " + tr("simulated %1, measured %2").arg(text(CompareModel::Simulated), text(CompareModel::Measured));
    if (!text(CompareModel::Peak).isEmpty()) line += ", " + tr("peak %1").arg(text(CompareModel::Peak));
    if (!text(CompareModel::Ratio).isEmpty()) line += ", " + tr("ratio %1").arg(text(CompareModel::Ratio));
    lines.append(line);
  }
  lines.append(plot_->accessibleName());
  if (!sizePlot_->curves().empty()) lines.append(sizePlot_->describe());
  lines.append(why_->describe());
  lines.removeAll(QString());
  return lines.join('\n');
}

}  // namespace warpmill::studio
