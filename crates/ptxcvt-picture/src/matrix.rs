//! Legality as SVG: forms down, targets across, in each cell the first version that takes the form.

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
/// forms.
///
/// ```
/// let form: ptxcvt::Form = "cvt.rn.satfinite.e2m1x2.f32".parse()?;
/// let svg = ptxcvt_picture::legality_svg_with(&[form], Some(&form), "sm_90".parse().ok());
/// assert!(svg.contains("sm_90<"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn legality_svg_with(forms: &[Form], chosen: Option<&Form>, on: Option<Target>) -> String {
    let since = |form: &Form, target: Target| form.since(target);
    let targets: Vec<Target> = Target::all()
        .filter(|target| on == Some(*target) || forms.iter().any(|form| since(form, *target).is_some()))
        .collect();
    let longest = forms.iter().map(|form| form.to_string().len()).max().unwrap_or(0);
    let (left, top, wide, high) = (24.0 + 6.5 * longest as f64, 76.0, 34.0, 20.0);
    let legend = 16.0 + 6.5 * 75.0;
    let (width, height) =
        ((left + wide * targets.len() as f64 + 16.0).max(legend), top + high * forms.len() as f64 + 34.0);
    let mut out = String::new();
    for (column, target) in targets.iter().enumerate() {
        let x = left + wide * (column as f64 + 0.5);
        let colour = if on == Some(*target) { RESULT } else { INK };
        if on == Some(*target) {
            rect(&mut out, (x - wide / 2.0, top - 6.0), (wide, high * forms.len() as f64 + 6.0), SHADE);
        }
        out.push_str(&format!("<g transform=\"translate({x:.1} {:.1}) rotate(-60)\">", top - 10.0));
        small(&mut out, (0.0, 4.0), "start", colour, &target.to_string());
        out.push_str("</g>");
    }
    for (row, form) in forms.iter().enumerate() {
        let y = top + high * (row as f64 + 0.7);
        line(&mut out, (8.0, y + 6.0), (width - 8.0, y + 6.0), RULE, 0.5);
        if chosen == Some(form) {
            rect(&mut out, (4.0, y - 13.0), (width - 8.0, high - 1.0), SHADE);
        }
        let colour = if chosen == Some(form) { RESULT } else { INK };
        small(&mut out, (8.0, y), "start", colour, &form.to_string());
        for (column, target) in targets.iter().enumerate() {
            let x = left + wide * (column as f64 + 0.5);
            match since(form, *target) {
                Some(isa) if on == Some(*target) => {
                    small(&mut out, (x, y), "middle", RESULT, &isa.to_string())
                }
                Some(isa) => small(&mut out, (x, y), "middle", EXPONENT, &isa.to_string()),
                None => small(&mut out, (x, y), "middle", DIM, "·"),
            }
        }
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
