import { createHash } from 'node:crypto';
import { createLinkTokens, type LinkTokens, type Seal } from '@tandem/sealed';
import type { FieldRecord } from './form.ts';

const dayMs = 24 * 3_600_000;
// Pages stay open for weeks. Without the token, a form would require questions that the page does not show.
const validMs = 30 * dayMs;

/** How a page showed a form. */
export interface Display {
  formId: number;
  at: number;
  pageId?: number;
  /** The test of the page, and the variant that the visitor sees. */
  test?: PageTest;
  /** Marks of the fields with the rule `when_unknown` that the page shows; undefined in tokens of earlier releases. */
  asked?: string[];
}

interface PageTest {
  abTestId: number;
  variant: string;
}

export type RenderTokens = LinkTokens<Display>;

export const createRenderTokens = (seal: Seal): RenderTokens => createLinkTokens<Display>(seal, 'display of a form');

/** The token that a page sends back with a submission: when it was shown, and which fields. */
export function issueRenderToken(
  tokens: RenderTokens,
  formId: number,
  { pageId, test, fields }: { pageId: number; test: PageTest | undefined; fields: readonly FieldRecord[] },
): string {
  const at = Date.now();
  const asked = fields.filter(({ ask }) => ask === 'when_unknown').map(markOf);
  return tokens.issue({ formId, at, pageId, asked, ...(test && { test }) }, new Date(at + validMs));
}

/** How the page of a token showed the form; undefined for a form elsewhere, and a token that is changed or of another form. */
export function readRenderToken(
  tokens: RenderTokens,
  formId: number,
  token: string | null | undefined,
): Display | undefined {
  const read = token ? tokens.read(token) : undefined;
  return read && read !== 'expired' && read.formId === formId ? read : undefined;
}

/** Whether a submission had the chance to answer a field. */
export function wasAsked(field: FieldRecord, display: Display | undefined): boolean {
  return field.ask === 'always' || !display?.asked || display.asked.includes(markOf(field));
}

/** The page that showed the form, and its test; null and none for a form elsewhere, and a page that was open for a day. */
export function originOf(display: Display | undefined) {
  const shown = display && Date.now() - display.at < dayMs ? display : undefined;
  return { landingPageId: shown?.pageId ?? null, ...shown?.test };
}

/** Identifies a field within its form: keys may be so long that those of all fields do not fit into a token. */
function markOf({ key }: FieldRecord): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 6);
}
