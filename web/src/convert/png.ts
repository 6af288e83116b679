// A picture as PNG, on the clipboard or as a file.

/** Draws an SVG at twice its size and copies it; a page without access to the clipboard downloads it. Returns which of these. */
export async function toPng(svg: string): Promise<string> {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the picture cannot be drawn");
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    } catch {
      const file = document.createElement("a");
      file.href = URL.createObjectURL(blob);
      file.download = "ptxcvt.png";
      file.click();
      return "saved as ptxcvt.png";
    }
    return "copied";
  } finally {
    URL.revokeObjectURL(address);
  }
}
