import type { FieldError } from '@tandem/contract';
import { syntaxErrors } from '../render.ts';
import type { EditableContent } from '../template.ts';
import { wrongLinksOf } from './block-text.ts';

type Blocks = NonNullable<EditableContent['blocks']>;

/** A text or an address of a block, which may contain placeholders. */
interface BlockText {
  /** Such as `blocks.2.columns.0.1.text`. */
  field: string;
  text: string;
  /** Whether it can have links. */
  isFormatted: boolean;
}

const names = ['text', 'label', 'url', 'src', 'alt'] as const;

/** All texts and addresses of blocks. */
export function textsOf(blocks: Readonly<Blocks>, field = 'blocks'): BlockText[] {
  return blocks.flatMap((block, index) => {
    const at = `${field}.${index}`;
    if (block.type === 'columns')
      return block.columns.flatMap((column, side) => textsOf(column, `${at}.columns.${side}`));
    const fields: Partial<Record<string, unknown>> = block;
    const isFormatted = block.type === 'text' || block.type === 'footer';
    return names.flatMap((name) => {
      const text = fields[name];
      return typeof text === 'string' ? [{ field: `${at}.${name}`, text, isFormatted }] : [];
    });
  });
}

/** Broken placeholders of blocks, with their positions in the text, and links that texts must not have. */
export function blockErrors(blocks: Readonly<Blocks>): FieldError[] {
  return textsOf(blocks).flatMap(({ field, text, isFormatted }) => {
    const syntax = syntaxErrors({ html: text }).map(({ message }) => ({ field, message }));
    if (syntax.length || !isFormatted) return syntax;
    return wrongLinksOf(text).map((url) => ({
      field,
      message: `Links must begin with https://, http:// or mailto:, or be {{ unsubscribeUrl }} or {{ preferencesUrl }}, not ${url.slice(0, 100)}`,
    }));
  });
}
