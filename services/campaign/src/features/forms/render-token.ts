import { createLinkTokens, type LinkTokens, type Seal } from '@tandem/sealed';

const validMs = 24 * 3_600_000;

/** The time at which a page showed a form. */
interface Shown {
  formId: number;
  at: number;
  /** The test of the page, and the variant that the visitor sees. */
  test?: PageTest;
}

export interface PageTest {
  abTestId: number;
  variant: string;
}

export type RenderTokens = LinkTokens<Shown>;

export const createRenderTokens = (seal: Seal): RenderTokens => createLinkTokens<Shown>(seal, 'display of a form');

/** The token that a page sends back with a submission, by which programs that answer at once are found. */
export function issueRenderToken(tokens: RenderTokens, formId: number, test?: PageTest): string {
  const at = Date.now();
  return tokens.issue({ formId, at, ...(test && { test }) }, new Date(at + validMs));
}

/** The test of the page that showed the form; undefined without a test, and for a page that was open for a day. */
export function testOf(tokens: RenderTokens, formId: number, token: string | null | undefined): PageTest | undefined {
  const shown = token ? tokens.read(token) : undefined;
  return shown && shown !== 'expired' && shown.formId === formId ? shown.test : undefined;
}
