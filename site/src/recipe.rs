//! The pages of the recipes of block quantisation.

use ptxcvt_blocks::Recipe;
use ptxcvt_report::recipes::RecipeReport;

use crate::html::{all, block, section, table, text};
use crate::page::Page;
use crate::path::recipe_path;

/// A page for each recipe.
pub fn pages() -> impl Iterator<Item = Page> {
    Recipe::all().map(|recipe| page(&RecipeReport::new(&recipe)))
}

fn page(recipe: &RecipeReport) -> Page {
    let [rows, columns] = recipe.block;
    let more = match (recipe.global_scale, recipe.row_scaled) {
        (true, _) => "one for the tensor",
        (_, true) => "one for each row",
        _ => "none",
    };
    let facts = [
        ("elements", recipe.element.to_owned()),
        ("block", format!("{rows} × {columns}")),
        ("scales", recipe.scale.to_owned()),
        ("global scales", more.to_owned()),
        ("NaN", recipe.nan.to_owned()),
        ("blocks that the array cuts", recipe.ragged.to_owned()),
        ("layout", recipe.layout.to_owned()),
        ("as in", recipe.source.clone()),
        ("confirmed by", recipe.confirmed.clone()),
    ];
    let body = all([
        table("The recipe", &["property", "value"], facts.map(|(name, value)| vec![text(name), text(value)])),
        section("Quantise", block(recipe.quantize.join("\n"))),
        section("Dequantise", block(recipe.dequantize.join("\n"))),
        section("Use", block(format_args!("ptxcvt quantize {} x.npy -o x.safetensors", recipe.name))),
    ]);
    let mut words =
        vec![recipe.source.as_str(), recipe.element, recipe.scale, recipe.layout, recipe.nan, "recipe"];
    words.extend(recipe.quantize.iter().chain(&recipe.dequantize).map(|line| &**line));
    let words = format!("block {rows} x {columns} {}", words.join(" "));
    let about = format!("{}.", recipe.about.trim_end_matches('.'));
    Page { path: recipe_path(&recipe.name), title: recipe.name.clone(), kind: "recipe", words, about, body }
}
