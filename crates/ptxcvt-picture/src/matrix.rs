//! Legality as SVG: forms down, targets across, in each cell the first version that takes the form. Targets that do not
//! fit the width of a README follow below.

use ptxcvt::{Form, IsaVersion, Target};

use crate::style::{DIM, EXPONENT, INK, RESULT, RULE, SHADE, line, open, rect, small, text};

/// A matrix of these forms and every target that takes one of them, as an SVG document.
///
/// ```
/// let form: ptxcvt::Form = "cvt.rn.satfinite.e2m1x2.f32".parse()?;
/// let svg = ptxcvt_picture::legality_svg(&[form]);
/// assert!(svg.contains(">8.6<") && svg.contains("sm_100a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn legality_svg(forms: &[Form]) -> String {
    legality_svg_with(forms, None, None)
}

/// Like [`legality_svg`], but with one form and one target highlighted. The target has a column even if it takes none of the
/// forms, or is older than those of [`Target::all`].
///
/// ```
/// let form: ptxcvt::Form = "cvt.rn.satfinite.e2m1x2.f32".parse()?;
/// let svg = ptxcvt_picture::legality_svg_with(&[form], Some(&form), "sm_90".parse().ok());
/// assert!(svg.contains("sm_90<"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn legality_svg_with(forms: &[Form], chosen: Option<&Form>, on: Option<Target>) -> String {
    let older = on.filter(|on| Target::all().all(|target| target != *on));
    let targets: Vec<Target> = older
        .into_iter()
        .chain(Target::all())
        .filter(|target| on == Some(*target) || forms.iter().any(|form| form.since(*target).is_some()))
        .collect();
    let longest = forms.iter().map(|form| form.to_string().len()).max().unwrap_or(0);
    let left = 24.0 + 6.5 * longest as f64;
    let fitting = ((WIDEST - left - MARGIN) / WIDE).floor().max(1.0) as usize;
    // Blocks of about the same width.
    let blocks = targets.len().div_ceil(fitting).max(1);
    let columns = targets.len().div_ceil(blocks).max(1);
    let legend = MARGIN + 6.5 * 75.0;
    let width = (left + WIDE * columns as f64 + MARGIN).max(legend);
    let below = TOP + HIGH * forms.len() as f64;
    let height = below * blocks as f64 + 34.0;
    let mut out = String::new();
    for (number, targets) in targets.chunks(columns).enumerate() {
        let block = Block { forms, targets, chosen, on, left, width, top: below * number as f64 + TOP };
        block.draw(&mut out);
    }
    small(
        &mut out,
        (8.0, height - 10.0),
        "start",
        DIM,
        &format!("number: first ISA version that accepts the form, through {}; ·: none", IsaVersion::NEWEST),
    );
    if forms.is_empty() {
        text(&mut out, (8.0, 20.0), "start", DIM, "no such form");
    }
    let label = format!(
        "{} on {}, through ISA {}",
        ptxcvt::counted(forms.len(), "form"),
        ptxcvt::counted(targets.len(), "target"),
        IsaVersion::NEWEST
    );
    open(width, height, &label) + &out + "</svg>"
}

/// The width of a README where it is shown with its repository, in pixels.
const WIDEST: f64 = 830.0;
/// The space to the right of the last column.
const MARGIN: f64 = 16.0;
/// The space for the names of targets above a block.
const TOP: f64 = 76.0;
/// The width of a column.
const WIDE: f64 = 34.0;
/// The height of a row.
const HIGH: f64 = 20.0;

/// The columns of some of the targets, for all forms.
struct Block<'b> {
    forms: &'b [Form],
    targets: &'b [Target],
    chosen: Option<&'b Form>,
    on: Option<Target>,
    /// Where the first column begins.
    left: f64,
    width: f64,
    /// Where the first row begins.
    top: f64,
}

impl Block<'_> {
    fn draw(&self, out: &mut String) {
        let &Block { forms, targets, chosen, on, left, width, top } = self;
        let middle = |column: usize| left + WIDE * (column as f64 + 0.5);
        for (column, target) in targets.iter().enumerate() {
            let x = middle(column);
            let is_asked = on == Some(*target);
            if is_asked {
                rect(out, (x - WIDE / 2.0, top - 6.0), (WIDE, HIGH * forms.len() as f64 + 6.0), SHADE);
            }
            out.push_str(&format!("<g transform=\"translate({x:.1} {:.1}) rotate(-60)\">", top - 10.0));
            small(out, (0.0, 4.0), "start", if is_asked { RESULT } else { INK }, &target.to_string());
            out.push_str("</g>");
        }
        for (row, form) in forms.iter().enumerate() {
            let y = top + HIGH * (row as f64 + 0.7);
            line(out, (8.0, y + 6.0), (width - 8.0, y + 6.0), RULE, 0.5);
            if chosen == Some(form) {
                rect(out, (4.0, y - 13.0), (width - 8.0, HIGH - 1.0), SHADE);
            }
            let colour = if chosen == Some(form) { RESULT } else { INK };
            small(out, (8.0, y), "start", colour, &form.to_string());
            for (column, target) in targets.iter().enumerate() {
                let at = (middle(column), y);
                match form.since(*target) {
                    Some(isa) if on == Some(*target) => small(out, at, "middle", RESULT, &isa.to_string()),
                    Some(isa) => small(out, at, "middle", EXPONENT, &isa.to_string()),
                    None => small(out, at, "middle", DIM, "·"),
                }
            }
        }
    }
}

#[test]
fn a_picture_fits_a_readme_and_shows_the_target() {
    for form in Form::all() {
        let svg = legality_svg(&[form]);
        let width = svg.split("width=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("the width");
        assert!(width.parse::<f64>().expect("a number") <= WIDEST, "{form}: {width}");
        let shown = Target::all().filter(|target| svg.contains(&format!(">{target}<")));
        assert!(shown.eq(Target::all().filter(|target| form.since(*target).is_some())), "{form}");
    }
    let form: Form = "cvt.rn.f16.f32".parse().expect("a form");
    for name in ["sm_35", "sm_50", "sm_90"] {
        let svg = legality_svg_with(&[form], Some(&form), name.parse().ok());
        assert_eq!(svg.matches(&format!(">{name}<")).count(), 1, "{name}");
    }
}
