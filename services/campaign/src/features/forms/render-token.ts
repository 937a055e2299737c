import { createLinkTokens, type LinkTokens, type Seal } from '@tandem/sealed';

const validMs = 24 * 3_600_000;

/** The time at which a page showed a form. */
interface Shown {
  formId: number;
  at: number;
}

export type RenderTokens = LinkTokens<Shown>;

export const createRenderTokens = (seal: Seal): RenderTokens => createLinkTokens<Shown>(seal, 'display of a form');

/** The token that a page sends back with a submission, by which programs that answer at once are found. */
export function issueRenderToken(tokens: RenderTokens, formId: number): string {
  const at = Date.now();
  return tokens.issue({ formId, at }, new Date(at + validMs));
}
