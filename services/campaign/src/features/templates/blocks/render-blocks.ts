import type { ColumnBlock, TemplateBlock } from '@tandem/campaign-contract';
import { mailStyle } from '@tandem/mail';
import type { z } from 'zod';
import { escapedText, paragraphsOf } from './block-text.ts';

type Block = z.output<typeof TemplateBlock>;
type Inner = z.output<typeof ColumnBlock>;
type Of<Type extends Block['type']> = Extract<Block, { type: Type }>;

const { colors, font, breakWords } = mailStyle;
const widthMax = 600;
const edge = 40;
const gap = 24;
const fontSizes: Record<number, number> = { 1: 26, 2: 21, 3: 17 };
// Clients without support ignore media queries, and show columns beside each other.
const rules = `@media (max-width:640px){.inner{padding-left:20px!important;padding-right:20px!important}.column{display:block!important;width:100%!important;padding-left:0!important;padding-right:0!important}.wide{width:100%!important;height:auto!important}}`;
// Outlook scales images on dense screens otherwise.
const outlook =
  '<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->';

/**
 * Makes the HTML of blocks. It uses tables, attributes and inline styles, because Outlook and Gmail remove most others; text
 * is escaped, and placeholders stay as they are.
 */
export function renderBlocks(blocks: readonly Block[]): string {
  return `<!doctype html>
<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="supported-color-schemes" content="light">
<meta name="x-apple-disable-message-reformatting">
${outlook}
<style>${rules}</style>
</head>
<body style="margin:0;padding:0;background:${colors.page}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${colors.page}">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="${widthMax}" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:${widthMax}px;background:${colors.card}">
${rowsOf(blocks).join('\n')}
</table>
</td></tr>
</table>
</body>
</html>
`;
}

/** The rows, with space above the first and below the last one of the card; footers are outside of it. */
function rowsOf(blocks: readonly Block[]): string[] {
  const last = blocks.findLastIndex(({ type }) => type !== 'footer');
  if (last < 0) return blocks.map(rowOf);
  const space = rowOf({ type: 'spacer', height: 16 });
  return [space, ...blocks.slice(0, last + 1).map(rowOf), space, ...blocks.slice(last + 1).map(rowOf)];
}

function rowOf(block: Block): string {
  switch (block.type) {
    case 'columns':
      return cell(columns(block));
    case 'footer':
      return `<tr><td class="inner" align="${block.align ?? 'center'}" style="padding:20px ${edge}px;background:${colors.page}">${footer(block)}</td></tr>`;
    case 'spacer':
      return `<tr><td height="${block.height}" style="height:${block.height}px;font-size:1px;line-height:${block.height}px">&nbsp;</td></tr>`;
    default:
      return cell(contentOf(block, widthMax - 2 * edge), alignOf(block));
  }
}

function cell(content: string, align = 'left'): string {
  return `<tr><td class="inner" align="${align}" style="padding:12px ${edge}px;text-align:${align}">${content}</td></tr>`;
}

const alignOf = (block: Inner) => ('align' in block ? (block.align ?? 'left') : 'left');

/** The content of a block in a cell of a width. */
function contentOf(block: Inner, width: number): string {
  switch (block.type) {
    case 'heading':
      return heading(block);
    case 'text':
      return textBlock(block);
    case 'button':
      return button(block);
    case 'image':
      return image(block, width);
    case 'divider':
      return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td style="border-top:1px solid ${block.color ?? colors.line};font-size:1px;line-height:1px">&nbsp;</td></tr></table>`;
    case 'spacer':
      return `<div style="height:${block.height}px;font-size:1px;line-height:${block.height}px">&nbsp;</div>`;
  }
}

function heading({ text, level = 1 }: Of<'heading'>): string {
  return `<h${level} style="margin:0;font:600 ${fontSizes[level]}px/1.3 ${font};color:${colors.text};${breakWords}">${escapedText(text)}</h${level}>`;
}

function textBlock({ text }: Of<'text'>): string {
  const paragraphs = paragraphsOf(text, `color:${colors.accent}`);
  return paragraphs
    .map((paragraph, index) => {
      const after = index < paragraphs.length - 1 ? 16 : 0;
      return `<p style="margin:0 0 ${after}px;font:16px/1.6 ${font};color:${colors.text};${breakWords}">${paragraph}</p>`;
    })
    .join('\n');
}

function footer({ text }: Of<'footer'>): string {
  const style = `margin:0 0 8px;font:13px/1.5 ${font};color:${colors.faint};${breakWords}`;
  return paragraphsOf(text, `color:${colors.faint}`)
    .map((paragraph) => `<p style="${style}">${paragraph}</p>`)
    .join('\n');
}

/** A cell with a background instead of a padded link, which Outlook shows without its padding. */
function button({ label, url, color = colors.accent, align = 'left' }: Of<'button'>): string {
  const style = `display:inline-block;padding:13px 26px;font:600 16px/1.2 ${font};color:${textColorOn(color)};text-decoration:none`;
  return `<table role="presentation" align="${align}" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" bgcolor="${color}" style="border-radius:8px;background:${color};mso-padding-alt:13px 26px"><a href="${escapedText(url)}" target="_blank" style="${style}">${escapedText(label)}</a></td></tr></table>`;
}

function image({ src, alt, width, url }: Of<'image'>, available: number): string {
  const shown = Math.min(width ?? available, available);
  // A narrow image keeps its width on small screens.
  const isWide = shown === available;
  const img = `<img${isWide ? ' class="wide"' : ''} src="${escapedText(src)}" alt="${escapedText(alt)}" width="${shown}" style="display:inline-block;width:${shown}px;max-width:100%;height:auto;border:0">`;
  return url === undefined ? img : `<a href="${escapedText(url)}" target="_blank">${img}</a>`;
}

function columns({ columns: [left = [], right = []] }: Of<'columns'>): string {
  const width = (widthMax - 2 * edge - gap) / 2;
  const column = (blocks: readonly Inner[], side: 'right' | 'left') => {
    const rows = blocks.map(
      (block) =>
        `<tr><td align="${alignOf(block)}" style="padding:6px 0;text-align:${alignOf(block)}">${contentOf(block, width)}</td></tr>`,
    );
    const inner = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows.join('')}</table>`;
    return `<td class="column" width="50%" valign="top" style="width:50%;vertical-align:top;padding-${side}:${gap / 2}px">${rows.length ? inner : '&nbsp;'}</td>`;
  };
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>${column(left, 'right')}${column(right, 'left')}</tr></table>`;
}

/** White or dark text, whichever has more contrast to a background such as #2f55d4. */
function textColorOn(background: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(background.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance, black and white have the same contrast (WCAG 2).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
