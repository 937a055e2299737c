import type { Caller } from '@tandem/caller';
import { contentMax, LandingPage, LandingPageSummary, landingPageStates } from '@tandem/campaign-contract';
import { type Assignee, checkUser, fail, failField } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { LandingPage as LandingPageRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import type { HtmlCleaner } from './html-cleaner.ts';

type SummaryRecord = z.output<typeof LandingPageSummary>;
type SummaryRow = Omit<LandingPageRow, 'environment' | 'sections' | 'seo' | 'style' | 'content'>;

const columns = LandingPageSummary.pick({ status: true });
const bodyColumns = LandingPage.pick({ sections: true, seo: true, style: true, content: true });

/** Converts a row to the contract's `LandingPageSummary`. */
export function asLandingPage(row: SummaryRow): SummaryRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: landingPageStates.next(checked.status) };
}

/** Converts a unique violation of the slug to a 409. */
export function slugError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('slug_taken', [{ field: 'slug', message: 'Must be unique; another landing page has this slug' }]);
}

/** Converts a row to the contract's `LandingPage`. */
export function asFullPage(row: LandingPageRow): z.output<typeof LandingPage> {
  return { ...asLandingPage(row), ...bodyColumns.parse(row) };
}

/** The result of `check` of a write: the cleaned content and the new owner; undefined if the request names none. */
export interface CheckedPage {
  content: string | undefined;
  owner: Assignee | undefined;
}

/** Cleans the content and checks the owner of a write. */
export async function checkPage(
  tools: Pick<Tools, 'cleaner' | 'identity'>,
  body: { content?: string | undefined; ownerId?: number | null | undefined },
  caller: Caller,
): Promise<CheckedPage> {
  const owner = await checkUser(tools, 'ownerId', body.ownerId, caller);
  const content =
    body.content === undefined ? undefined : await cleanContent(tools.cleaner, body.content, caller.tenantId);
  return { content, owner };
}

/**
 * Cleans content for storage. Cleaning writes some characters as entities, so the result can be longer.
 * @throws ApiError 422 when it cannot be cleaned or becomes too long
 */
export async function cleanContent(
  cleaner: HtmlCleaner,
  content: string,
  tenantId: number | undefined,
): Promise<string> {
  const cleaned = await cleaner.clean(content, tenantId);
  if ('error' in cleaned) throw failField('content', cleaned.error);
  if (cleaned.html.length > contentMax)
    throw failField('content', `Must be at most ${contentMax} characters after cleaning`);
  return cleaned.html;
}
