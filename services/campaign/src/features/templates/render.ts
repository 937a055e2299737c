import type { TemplateVariable } from '@tandem/campaign-contract';
import { escapeHtml } from '@tandem/pages';
import { Liquid, LiquidError } from 'liquidjs';
import type { z } from 'zod';
import { textOfHtml } from './html-text.ts';
import { storableText } from './storable-text.ts';

/** The content of a template. */
export interface TemplateContent {
  subject: string | null;
  preheader: string | null;
  html: string | null;
  text: string | null;
  variables: readonly z.output<typeof TemplateVariable>[];
}

export interface RenderedTemplate {
  subject: string | null;
  html: string | null;
  text: string | null;
  /** Required placeholders without value and fallback: the message must not be sent. */
  missing: string[];
}

const contentFields = ['subject', 'preheader', 'html', 'text'] as const;
export type ContentField = (typeof contentFields)[number];

/** A template that cannot be parsed or rendered. */
export class TemplateError extends Error {
  readonly field: ContentField;
  constructor(field: ContentField, message: string) {
    super(message);
    this.field = field;
  }
}

// The longest template takes some milliseconds. Rendering ends after this time.
const renderMs = 100;
const charactersMax = 250_000;
// A filter runs to its end, so what one call can work through is bounded too.
const memoryMax = 500_000;
// Escaping makes a text longer, and the memory limit counts only what filters make.
const outputMax = 500_000;
// Parsing takes time that grows with the square of the number of placeholders.
const placeholdersMax = 1_000;
const placeholderLengthMax = 2_000;

const plain = createEngine();
const escaping = createEngine('escape');

function createEngine(outputEscape?: 'escape'): Liquid {
  const engine = new Liquid({
    // No files: tags that read other templates are removed, and this map has none.
    templates: {},
    cache: false,
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    parseLimit: charactersMax,
    renderLimit: renderMs,
    memoryLimit: memoryMax,
    ...(outputEscape && { outputEscape }),
  });
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  // With it, values of leads could add HTML to a message.
  delete engine.filters['raw'];
  // They evaluate an expression per element within one call, which the time limit does not end.
  for (const name of Object.keys(engine.filters)) if (name.endsWith('_exp')) delete engine.filters[name];
  return engine;
}

const engineOf = (field: ContentField) => (field === 'html' || field === 'preheader' ? escaping : plain);

/** The syntax errors of a template, each with line and column. */
export function syntaxErrors(content: Partial<Record<ContentField, string | null>>) {
  return contentFields.flatMap((field) => {
    const source = content[field];
    if (!source) return [];
    const excess = excessOf(source);
    if (excess) return [{ field, message: excess }];
    try {
      engineOf(field).parse(source);
      return [];
    } catch (error) {
      return [{ field, message: messageOf(error) }];
    }
  });
}

/**
 * Renders a message. Values are escaped in HTML, and never contain placeholders themselves.
 * @param data the values, such as `templateData` makes them
 * @throws TemplateError when the content is not valid, or takes too long
 */
export function renderTemplate(content: TemplateContent, data: Record<string, unknown>): RenderedTemplate {
  const { values, missing } = withFallbacks(content.variables, data);
  const render = (field: ContentField) => {
    const source = content[field];
    if (source === null) return null;
    const excess = excessOf(source);
    if (excess) throw new TemplateError(field, excess);
    try {
      const engine = engineOf(field);
      const output = finished(engine._render(engine.parse(source), values, { sync: true }), endsAt()) as string;
      if (output.length <= outputMax) return storableText(output);
    } catch (error) {
      throw new TemplateError(field, messageOf(error));
    }
    throw new TemplateError(field, `Makes more than ${outputMax} characters`);
  };
  const text = render('text');
  const html = render('html');
  const preheader = render('preheader');
  return {
    // A value with a line break must not start another header.
    subject: render('subject')?.replace(/\s+/g, ' ').trim() ?? null,
    html: html === null ? null : withPreheader(html, preheader),
    text: text ?? (html === null ? null : textOfHtml(html)),
    missing,
  };
}

const endsAt = () => performance.now() + renderMs;

/**
 * Runs a rendering to its end, as `renderSync` does, or until a time. The engine checks the time only between tags, while
 * one filter or comparison can go through hundreds of thousands of elements.
 */
function finished(rendering: unknown, until: number): unknown {
  if (!isGenerator(rendering)) return rendering;
  let step = rendering.next();
  while (!step.done) {
    if (performance.now() > until) {
      step = rendering.throw(new Error('template render limit exceeded'));
      continue;
    }
    let value: unknown;
    try {
      value = finished(step.value, until);
    } catch (error) {
      step = rendering.throw(error);
      continue;
    }
    step = rendering.next(value);
  }
  return step.value;
}

function isGenerator(value: unknown): value is Generator<unknown, unknown, unknown> {
  const { next, throw: end } = (value ?? {}) as Partial<Generator>;
  return typeof next === 'function' && typeof end === 'function';
}

/** The HTML of a message whose template has only text. */
export function htmlOfText(text: string): string {
  return `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;
}

function withFallbacks(variables: TemplateContent['variables'], data: Record<string, unknown>) {
  const values = structuredClone(data);
  const missing: string[] = [];
  for (const { key, fallback, required } of variables) {
    const path = key.split('.');
    const value = path.reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], values);
    if (value !== undefined && value !== null && value !== '') continue;
    if (fallback !== null) put(values, path, fallback);
    else if (required) missing.push(key);
  }
  return { values, missing };
}

function put(into: Record<string, unknown>, [name = '', ...rest]: string[], value: string): void {
  if (!rest.length) {
    into[name] = value;
    return;
  }
  const inner = Object.hasOwn(into, name) ? into[name] : undefined;
  const object = inner !== null && typeof inner === 'object' ? (inner as Record<string, unknown>) : {};
  into[name] = object;
  put(object, rest, value);
}

/** Mail programs show the first text of a message beside the subject. */
function withPreheader(html: string, preheader: string | null): string {
  if (!preheader) return html;
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${preheader}</div>`;
  // A tag ends at the next one at the latest: see `trackLinks`.
  const body = /<body\b[^<>]*>/i.exec(html);
  if (!body) return hidden + html;
  const at = body.index + body[0].length;
  return html.slice(0, at) + hidden + html.slice(at);
}

/** The reason why a template is too large to parse, apart from its length; undefined if it is not. */
export function excessOf(source: string): string | undefined {
  const [, ...placeholders] = source.split(/\{[{%]/);
  if (placeholders.length > placeholdersMax) return `Must have at most ${placeholdersMax} placeholders and tags`;
  const isLong = (piece: string) => piece.search(/[}%]\}/) > placeholderLengthMax;
  return placeholders.some(isLong) ? `Placeholders must have at most ${placeholderLengthMax} characters` : undefined;
}

function messageOf(error: unknown): string {
  // Reaching a limit outside of a tag is reported without a position.
  if (error instanceof Error && error.name === 'AssertionError') return `Is not a valid template: ${error.message}`;
  if (!LiquidError.is(error)) throw error;
  const [line, column] = (error as unknown as { token: { getPosition(): [number, number] } }).token.getPosition();
  const reason = error.message.replace(/, (file|line):.*$/s, '');
  return `Is not a valid template: ${reason} (line ${line}, column ${column})`;
}
