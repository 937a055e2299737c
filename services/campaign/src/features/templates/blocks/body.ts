import { templateContentMax } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { excessOf, syntaxErrors } from '../render.ts';
import type { EditableContent } from '../template.ts';
import { blockErrors, textsOf } from './block-errors.ts';
import { renderBlocks } from './render-blocks.ts';

type Blocks = EditableContent['blocks'];

const linksMax = 1_000;

/**
 * The body that a request sets: HTML, or blocks with the HTML that is made from them. Each replaces the other. Empty if the
 * request sets neither.
 * @throws ApiError 422 when it sets both, or blocks that cannot be used
 */
export function bodyOf(
  { html, blocks }: { html?: string | null | undefined; blocks?: Blocks | undefined },
  before: Blocks = null,
): { html?: string | null; blocks?: Blocks } {
  if (blocks && typeof html === 'string')
    throw failField('blocks', 'Cannot be combined with html, which is made from the blocks; omit one of both');
  if (blocks) return { blocks, html: htmlOfBlocks(blocks) };
  if (html !== undefined) return { blocks: null, html };
  return blocks === null && before !== null ? { blocks: null, html: null } : {};
}

function htmlOfBlocks(blocks: NonNullable<Blocks>): string {
  const errors = errorsOf(blocks);
  if (errors.length) throw fail('validation_failed', errors);
  const html = renderBlocks(blocks);
  if (html.length > templateContentMax)
    throw failField('blocks', `Must make at most ${templateContentMax} characters of HTML, not ${html.length}`);
  // Tags of several blocks can be wrong together.
  const [wrong] = syntaxErrors({ html });
  if (wrong) throw failField('blocks', wrong.message);
  return html;
}

function errorsOf(blocks: NonNullable<Blocks>): FieldError[] {
  // Reading a text takes time that grows with its placeholders and links, so all texts together are limited first.
  const all = textsOf(blocks)
    .map(({ text }) => text)
    .join('\n');
  const excess =
    all.length > templateContentMax
      ? `Must have at most ${templateContentMax} characters of text`
      : (excessOf(all) ?? (all.split('](').length > linksMax ? `Must have at most ${linksMax} links` : undefined));
  return excess ? [{ field: 'blocks', message: excess }] : blockErrors(blocks);
}
