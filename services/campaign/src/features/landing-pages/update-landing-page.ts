import { actingUserId } from '@tandem/caller';
import { type landingPages, landingPageUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { teamChange } from '../work/owner.ts';
import type { Arranged } from './arrange-html.ts';
import {
  asFullPage,
  type CheckedPage,
  checkForm,
  checkPage,
  checkPlan,
  checkTransition,
  lockPage,
  type PageRecord,
  type PageTools,
  slugError,
} from './landing-page.ts';
import { publishPageJob } from './publish-page.job.ts';
import {
  arrangePage,
  checkNotEmpty,
  type Publishing,
  publishPage,
  versionFields,
  withdrawPage,
} from './publish-page.ts';

interface Found extends CheckedPage {
  /** What visitors would see, and of which version of the record, for a request that publishes the page. */
  toPublish?: Arranged & { version: number };
}

export const updateLandingPage = (tools: PageTools): Handler<typeof landingPages.updateLandingPage, Found> => ({
  async check({ params, body, caller, under, tx }) {
    const checked = await checkPage(tools, body, caller);
    if (body.status !== 'published') return checked;
    const row = await under('campaigns:write', () => tx.landingPage.findFirst({ where: { id: params.id } }));
    if (!row) throw fail('not_found');
    const page = asFullPage(row, tools);
    const changed = { ...page, ...body, content: checked.content ?? page.content };
    return { ...checked, toPublish: { ...(await arrangePage(tools.cleaner, changed)), version: page.version } };
  },
  async run({ params, body, found, caller, tx, emit, schedule, ifMatch }) {
    const { content, owner, toPublish } = found;
    const page = asFullPage(await lockPage(tx, params.id), tools);
    ifMatch(page);
    if (page.status === 'archived') throw fail('page_archived');
    const { status = page.status, ...fields } = body;
    if (status !== page.status) checkTransition(page, status);
    const { isEmpty, values, audit } = diff(page, {
      ...fields,
      ...(content !== undefined && { content }),
      ...teamChange(page, owner),
    });
    const inside = { tx, emit, tools };
    const updated = isEmpty ? page : await write(inside, page, { values, audit });
    if (values.publishAt)
      await schedule(publishPageJob, [{ landingPageId: page.id, publishAt: values.publishAt }], values.publishAt);
    if (status === page.status) return updated;
    if (status !== 'published') return withdrawPage(inside, updated, status);
    if (toPublish?.version !== page.version) throw fail('page_changed');
    await checkNotEmpty(tx, updated, toPublish);
    const publishedBy = actingUserId(caller) ?? null;
    return publishPage(inside, updated, { body: toPublish.html, publishedBy });
  },
});

type Values = Partial<Omit<PageRecord, 'status'>>;

async function write(
  { tx, emit, tools }: Publishing,
  page: PageRecord,
  { values, audit }: { values: Values; audit: Record<string, { from: unknown; to: unknown }> },
): Promise<PageRecord> {
  await checkCampaign(tx, values.campaignId);
  await checkForm(tx, values.formId);
  const { publishAt = page.publishAt } = values;
  // Also when the content changes: a plan must not end with an empty page.
  if (values.publishAt || (publishAt && publishAt > new Date())) checkPlan({ ...page, ...values }, publishAt);
  const isEdited = page.status === 'published' && versionFields.some((field) => Object.hasOwn(values, field));
  const [row] = await tx.landingPage
    .updateManyAndReturn({
      where: { id: page.id },
      data: { ...values, ...(isEdited && { hasUnpublishedChanges: true }), version: { increment: 1 } },
    })
    .catch((error: unknown) => {
      throw slugError(error);
    });
  if (!row) throw fail('not_found');
  const updated = asFullPage(row, tools);
  // The audit log does not store the content, which can have 200,000 characters.
  const { content: _content, ...changes } = audit;
  emit(landingPageUpdated, {
    data: { landingPageId: page.id, fields: Object.keys(values) },
    record: updated,
    changes,
  });
  return updated;
}
