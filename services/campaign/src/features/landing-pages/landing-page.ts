import {
  contentMax,
  type LandingPage,
  type LandingPageSummary,
  type landingPageStatuses,
} from '@tandem/campaign-contract';
import { fail, failField } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { LandingPage as LandingPageRow } from '../../generated/client.ts';
import type { HtmlCleaner } from './html-cleaner.ts';

type SummaryRecord = z.output<typeof LandingPageSummary>;
type LandingPageStatus = (typeof landingPageStatuses)[number];

const transitions: Record<LandingPageStatus, readonly LandingPageStatus[]> = {
  draft: ['published', 'archived'],
  published: ['draft', 'archived'],
  archived: [],
};

/** A row as the contract shows it, with as many columns as were read. */
export function asLandingPage<Row extends Pick<LandingPageRow, 'id' | 'status'>>(row: Row): Row & SummaryRecord {
  const allowedTransitions = [...transitions[row.status as LandingPageStatus]];
  return { ...(row as Row & SummaryRecord), allowedTransitions };
}

/** Turns the database's unique violation on a slug into a 409. */
export function slugRefusal(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('slug_taken', [{ field: 'slug', message: 'Another landing page has this slug' }]);
}

/** A whole row as the contract shows it. */
export function asWholePage(row: LandingPageRow): z.output<typeof LandingPage> {
  return asLandingPage(row) as unknown as z.output<typeof LandingPage>;
}

/**
 * Content as it is stored. Cleaning writes some characters as entities, so it can also become longer.
 * @throws ApiError 422 when it cannot be cleaned or has become too long
 */
export async function cleanContent(
  cleaner: HtmlCleaner,
  content: string,
  tenantId: number | undefined,
): Promise<string> {
  const cleaned = await cleaner.clean(content, tenantId);
  if ('refusal' in cleaned) throw failField('content', cleaned.refusal);
  if (cleaned.html.length > contentMax) throw failField('content', `Must be at most ${contentMax} characters as HTML`);
  return cleaned.html;
}
