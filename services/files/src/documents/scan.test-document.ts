import sharp from 'sharp';

/** A picture of lines of text, as a scanner makes it, in PNG. */
export function aScan(lines: string[]): Promise<Buffer> {
  const texts = lines.map((text, index) => `<text x="80" y="${120 + index * 90}" font-size="42">${text}</text>`);
  const background = '<rect width="100%" height="100%" fill="white"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="600" font-family="sans-serif">${background}${texts.join('')}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
