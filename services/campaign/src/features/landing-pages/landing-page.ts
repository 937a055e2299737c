import type { Caller } from '@tandem/caller';
import {
  contentMax,
  LandingPage,
  LandingPageSummary,
  landingPageStates,
  type landingPageStatuses,
} from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { type Assignee, checkUser, fail, failField, transitionError } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { LandingPage as LandingPageRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { HtmlCleaner } from './html-cleaner.ts';

export type PageTools = Pick<Tools, 'cleaner' | 'identity' | 'ids' | 'publicUrl'>;
export type AddressTools = Pick<Tools, 'ids' | 'publicUrl'>;
export type PageRecord = z.output<typeof LandingPage>;
type PageStatus = (typeof landingPageStatuses)[number];
type SummaryRecord = Omit<z.output<typeof LandingPageSummary>, 'url'>;
type SummaryRow = Omit<LandingPageRow, 'environment' | 'sections' | 'seo' | 'style' | 'content'>;

const columns = LandingPageSummary.pick({ status: true });
const bodyColumns = LandingPage.pick({ sections: true, seo: true, style: true, content: true });

/** Converts a row to the contract's `LandingPageSummary` without the address, as events have it. */
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
export function asFullPage(row: LandingPageRow, tools: AddressTools): PageRecord {
  return { ...asLandingPage(row), ...bodyColumns.parse(row), url: urlOf(row, tools) };
}

/** Ends the name of a tenant in addresses of the sandbox. Neither ids nor slugs of tenants have two dashes. */
export const sandboxSuffix = '--sandbox';

/** The public address of a page. */
export function urlOf(
  row: Pick<LandingPageRow, 'tenantId' | 'environment' | 'slug'>,
  { ids, publicUrl }: AddressTools,
): string {
  const tenant = ids.encode('tenant', row.tenantId, row.tenantId);
  return `${publicUrl}/p/${tenant}${row.environment === 'sandbox' ? sandboxSuffix : ''}/${row.slug}`;
}

/** Whether a page shows nothing: it has no text, no image and no form. */
export function isEmptyPage({ content, formId }: { content: string; formId: number | null }): boolean {
  if (formId !== null || /<(img|picture)\b/i.test(content)) return false;
  return content.replace(/<[^>]*>|&nbsp;|[\s\u00a0\u200b]/g, '') === '';
}

/** Locks the page, so that checks on it still hold when it is written. */
export async function lockPage(tx: Tx, id: number): Promise<LandingPageRow> {
  const row = await tx.landingPage.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks the form that a page is about to show, so that it is not deleted meanwhile; fails with 422 without it. */
export async function checkForm(tx: Tx, formId: number | null | undefined): Promise<void> {
  if (formId === null || formId === undefined) return;
  if (!(await tx.form.lockFirst({ where: { id: formId } }))) throw failField('formId', unknownId('form'));
}

/** Fails with 422 unless the page can be published at a time that a request sets. */
export function checkPlan(page: { content: string; formId: number | null }, publishAt: Date | null | undefined): void {
  if (!publishAt) return;
  if (publishAt <= new Date()) throw failField('publishAt', 'Must be in the future; publish the page to do it now');
  if (isEmptyPage(page)) throw failField('publishAt', 'The page is empty; add content or a form first');
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status, allowedTransitions }: PageRecord, to: PageStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
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
