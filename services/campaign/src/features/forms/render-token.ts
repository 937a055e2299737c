import { createLinkTokens, type LinkTokens, type Seal } from '@tandem/sealed';

const validMs = 24 * 3_600_000;

/** The time at which a page showed a form. */
interface Shown {
  formId: number;
  at: number;
  pageId?: number;
  /** The test of the page, and the variant that the visitor sees. */
  test?: PageTest;
}

interface PageTest {
  abTestId: number;
  variant: string;
}

export type RenderTokens = LinkTokens<Shown>;

export const createRenderTokens = (seal: Seal): RenderTokens => createLinkTokens<Shown>(seal, 'display of a form');

/** The token that a page sends back with a submission, by which programs that answer at once are found. */
export function issueRenderToken(
  tokens: RenderTokens,
  formId: number,
  { pageId, test }: { pageId: number; test: PageTest | undefined },
): string {
  const at = Date.now();
  return tokens.issue({ formId, at, pageId, ...(test && { test }) }, new Date(at + validMs));
}

/** The page that showed the form, and its test; null and none for a form elsewhere, and a page that was open for a day. */
export function originOf(tokens: RenderTokens, formId: number, token: string | null | undefined) {
  const read = token ? tokens.read(token) : undefined;
  const shown = read && read !== 'expired' && read.formId === formId ? read : undefined;
  return { landingPageId: shown?.pageId ?? null, ...shown?.test };
}
