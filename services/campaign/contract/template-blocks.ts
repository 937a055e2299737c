import { text } from '@tandem/contract';
import { z } from 'zod';

/** Maximum numbers of blocks of a template and of a column, and maximum lengths of texts. */
export const blockLimits = { blocks: 100, perColumn: 20, text: 10_000, line: 500, url: 2_000 } as const;

const placeholder = /\{\{[^{}]*\}\}/g;
// The addresses that the platform has for each message; other placeholders are values of leads, which lead anywhere.
const ownLinks = /^\{\{\s*(unsubscribeUrl|preferencesUrl)\s*\}\}$/;

/** Whether an address has one of the protocols. It may contain placeholders, but not before its path. */
function isAddress(value: string, protocols: RegExp): boolean {
  const site = /^(?:https?:\/\/[^/?#]*|mailto:)/i.exec(value)?.[0] ?? '';
  const complete = value.replace(placeholder, 'x');
  return protocols.test(value) && !site.includes('{{') && URL.canParse(complete) && !/[\s<>"'`\\{}]/.test(complete);
}

const BlockLink = text(blockLimits.url)
  .refine((value) => ownLinks.test(value) || isAddress(value, /^(?:https?:\/\/|mailto:)/i), {
    error:
      'Must begin with https://, http:// or mailto:, or be {{ unsubscribeUrl }} or {{ preferencesUrl }}; other placeholders can follow the name of the site',
  })
  .meta({
    description: 'The target of the link. Placeholders can follow the name of the site.',
    examples: ['https://example.com/spring?name={{ lead.firstName | url_encode }}'],
  });

/** Whether the target of a link in a text is allowed: see `BlockLink`. */
export const isBlockLink = (value: string): boolean => BlockLink.safeParse(value).success;

const BlockImage = text(blockLimits.url)
  .refine((value) => isAddress(value, /^https:\/\//i), {
    error: 'Must begin with https://; placeholders can follow the name of the site',
  })
  .meta({ description: 'The address of the image', examples: ['https://example.com/logo.png'] });

const BlockColor = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, { error: 'Must be a color such as #2f55d4' })
  .meta({ description: 'The color', examples: ['#2f55d4'] });

const line = (description: string, example: string) =>
  text(blockLimits.line)
    .min(1, 'Must not be empty')
    .meta({ description, examples: [example] });
const paragraphs = text(blockLimits.text)
  .min(1, 'Must not be empty')
  .meta({
    description:
      'The text. An empty line begins a paragraph; `**bold**`, `*italic*` and `[label](https://example.com)` are formatted.',
    examples: ['Hello {{ lead.firstName }},\n\nthe **spring offer** ends on Sunday.'],
  });

export const BlockAlign = z
  .enum(['left', 'center', 'right'])
  .meta({ description: 'The alignment, by default left', examples: ['center'] });
const align = BlockAlign.optional();
const type = <Name extends string>(name: Name) =>
  z.literal(name).meta({ description: 'The kind of block', examples: [name] });

export const HeadingBlock = z.object({
  type: type('heading'),
  text: line('The heading', 'Spring offer'),
  level: z
    .int()
    .min(1, 'Must be 1, 2 or 3')
    .max(3, 'Must be 1, 2 or 3')
    .meta({ description: 'The level, by default 1', examples: [1] })
    .optional(),
  align,
});

export const TextBlock = z.object({ type: type('text'), text: paragraphs, align });

export const ButtonBlock = z.object({
  type: type('button'),
  label: line('The text of the button', 'See the offer'),
  url: BlockLink,
  color: BlockColor.describe('The color of the button').optional(),
  align,
});

export const ImageBlock = z.object({
  type: type('image'),
  src: BlockImage,
  alt: text(blockLimits.line).meta({
    description: 'What the image shows, for people who do not see it; empty for decoration',
    examples: ['Our logo'],
  }),
  width: z
    .int()
    .min(16, 'Must be at least 16')
    .max(600, 'Must be at most 600')
    .meta({ description: 'The width in pixels, by default that of the message', examples: [200] })
    .optional(),
  url: BlockLink.optional(),
  align,
});

export const DividerBlock = z.object({
  type: type('divider'),
  color: BlockColor.describe('The color of the line').optional(),
});

export const SpacerBlock = z.object({
  type: type('spacer'),
  height: z
    .int()
    .min(4, 'Must be at least 4')
    .max(200, 'Must be at most 200')
    .meta({ description: 'The height in pixels', examples: [24] }),
});

const simpleBlocks = [HeadingBlock, TextBlock, ButtonBlock, ImageBlock, DividerBlock, SpacerBlock] as const;

const isUnknown = (names: string) => ({ error: `Must be one of ${names}` });

/** A block of a column. */
export const ColumnBlock = z.discriminatedUnion(
  'type',
  simpleBlocks,
  isUnknown('heading, text, button, image, divider, spacer'),
);

export const ColumnsBlock = z.object({
  type: type('columns'),
  columns: z
    .array(z.array(ColumnBlock).max(blockLimits.perColumn, `Must have at most ${blockLimits.perColumn} blocks`))
    .length(2, 'Must have two columns')
    .meta({
      description: 'The blocks of the left and of the right column; below each other on small screens',
      examples: [[[{ type: 'text', text: 'Left' }], [{ type: 'text', text: 'Right' }]]],
    }),
});

export const FooterBlock = z.object({ type: type('footer'), text: paragraphs, align });

/** A block of a template, from top to bottom. */
export const TemplateBlock = z.discriminatedUnion(
  'type',
  [...simpleBlocks, ColumnsBlock, FooterBlock],
  isUnknown('heading, text, button, image, divider, spacer, columns, footer'),
);

export const TemplateBlocks = z
  .array(TemplateBlock)
  .min(1, 'Must have at least one block')
  .max(blockLimits.blocks, `Must have at most ${blockLimits.blocks} blocks`)
  .meta({
    description: 'The blocks of an e-mail, from which its HTML is made',
    examples: [
      [
        { type: 'heading', text: 'Spring offer' },
        { type: 'text', text: 'Hello {{ lead.firstName }},\n\nthe **spring offer** ends on Sunday.' },
        { type: 'button', label: 'See the offer', url: 'https://example.com/spring' },
      ],
    ],
  });
