import { landingPageCreated, type landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { ownerColumns } from '../work/owner.ts';
import { type AddressTools, asFullPage, checkForm, slugError } from './landing-page.ts';

const nameMax = 200;
const slugMax = 100;
const copiesMax = 100;

export const duplicateLandingPage =
  (tools: AddressTools): Handler<typeof landingPages.duplicateLandingPage> =>
  async ({ params, body, caller, tx, emit }) => {
    const row = await tx.landingPage.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const { description, sections, seo, style, content, campaignId, formId, ...source } = asFullPage(row, tools);
    await checkForm(tx, formId);
    const name = body.name ?? `${source.name.slice(0, nameMax - ' (copy)'.length)} (copy)`;
    const slug = body.slug ?? (await freeSlug(tx, source.slug));
    const copied = { description, sections, seo, style, content, campaignId, formId };
    const copy = await tx.landingPage
      .create({ data: { name, slug, ...copied, ...ownerColumns(caller, undefined, undefined) } })
      .catch((error: unknown) => {
        throw slugError(error);
      });
    const page = asFullPage(copy, tools);
    emit(landingPageCreated, { data: { landingPageId: page.id, campaignId, slug }, record: page });
    return page;
  };

/** The first slug of `spring-copy`, `spring-copy-2`, … that no page has. */
async function freeSlug(tx: Tx, slug: string): Promise<string> {
  const base = `${slug.slice(0, slugMax - '-copy-100'.length).replace(/-+$/, '')}-copy`;
  const candidates = Array.from({ length: copiesMax }, (_, index) => (index ? `${base}-${index + 1}` : base));
  // Also pages of other users, which a narrowed caller does not see.
  const taken = await tx.sql<{ slug: string }>`SELECT slug FROM landing_page
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND slug = ANY(${candidates}::text[])`;
  const free = candidates.find((one) => !taken.some((row) => row.slug === one));
  if (free === undefined) throw fail('slug_taken', [{ field: 'slug', message: 'Is required: too many copies exist' }]);
  return free;
}
