import { landingPageUpdated } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail, failField, transitionError } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { Arranged } from './arrange-html.ts';
import type { HtmlCleaner } from './html-cleaner.ts';
import { type AddressTools, asFullPage, type PageRecord } from './landing-page.ts';

/** The fields of a page that a version keeps. */
export const versionFields = ['name', 'sections', 'seo', 'style', 'content', 'formId', 'campaignId'] as const;

/** The content of a page as visitors see it; runs in a worker thread. */
export function arrangePage(cleaner: HtmlCleaner, page: PageRecord): Promise<Arranged> {
  const { name, content, sections, seo, formId } = page;
  return cleaner.arrange({ content, sections, title: seo.title || name, hasForm: formId !== null }, page.tenantId);
}

/** Fails unless there is something to publish: the page is a draft, or was changed since it was published. */
export function checkPublishable({ status, hasUnpublishedChanges, allowedTransitions }: PageRecord): void {
  if (status === 'draft' || (status === 'published' && hasUnpublishedChanges)) return;
  const error = transitionError(status, allowedTransitions);
  const message = status === 'published' ? `${error.message}. The page has no changes to publish` : error.message;
  throw fail('transition_refused', [{ ...error, message }]);
}

/** Fails with 422 unless visitors of the page would see something. */
export async function checkNotEmpty(tx: Tx, page: PageRecord, arranged: Pick<Arranged, 'isEmpty'>): Promise<void> {
  if (!(await isEmptyNow(tx, page, arranged))) return;
  if (page.formId !== null) throw failField('formId', 'Publish the form first, because the page has nothing else');
  throw failField('content', 'The page is empty; add text, an image or a form before you publish it');
}

/** Whether visitors would see nothing now: only published forms are shown, also those that the caller cannot read. */
export async function isEmptyNow(
  tx: Tx,
  { formId }: Pick<PageRecord, 'formId'>,
  { isEmpty }: Pick<Arranged, 'isEmpty'>,
): Promise<boolean> {
  if (!isEmpty || formId === null) return isEmpty;
  const shown = await tx.sql`SELECT FROM form WHERE id = ${formId} AND status = 'published'`;
  return !shown.length;
}

/** The transaction in which a page is published. */
export interface Publishing {
  tx: Tx;
  emit: Emit<typeof landingPageUpdated>;
  tools: AddressTools;
}

/** Publishes a locked page as its next version. */
export async function publishPage(
  { tx, emit, tools }: Publishing,
  page: PageRecord,
  { body, publishedBy }: { body: string; publishedBy: number | null },
): Promise<PageRecord> {
  const number = (page.publishedVersion ?? 0) + 1;
  const { name, sections, seo, style, content, formId, campaignId } = page;
  const copy = { name, sections, seo, style, content, formId, campaignId };
  const { createdAt } = await tx.landingPageVersion.create({
    data: { landingPageId: page.id, number, ...copy, body, publishedBy },
  });
  return changePage({ tx, emit, tools }, page, {
    status: 'published',
    publishedAt: createdAt,
    publishedVersion: number,
    hasUnpublishedChanges: false,
    publishAt: null,
  });
}

/** Takes a page off, as a draft or for good. */
export function withdrawPage(inside: Publishing, page: PageRecord, status: 'draft' | 'archived'): Promise<PageRecord> {
  return changePage(inside, page, {
    status,
    hasUnpublishedChanges: false,
    ...(status === 'archived' && { publishAt: null }),
  });
}

type Change = Partial<
  Pick<PageRecord, 'status' | 'publishedAt' | 'publishedVersion' | 'hasUnpublishedChanges' | 'publishAt'>
>;

/** Writes the publication of a locked page as its next version of the record, with the event. */
export async function changePage(
  { tx, emit, tools }: Publishing,
  page: PageRecord,
  change: Change,
): Promise<PageRecord> {
  const [row] = await tx.landingPage.updateManyAndReturn({
    where: { id: page.id },
    data: { ...change, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const updated = asFullPage(row, tools);
  const fields = Object.keys(change) as (keyof Change)[];
  emit(landingPageUpdated, {
    data: { landingPageId: page.id, fields },
    record: updated,
    changes: Object.fromEntries(fields.map((field) => [field, { from: page[field], to: updated[field] }])),
  });
  return updated;
}
