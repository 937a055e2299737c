import type { Caller } from '@tandem/caller';
import { LandingPageVersion, type pageVisited, variantCookie } from '@tandem/campaign-contract';
import { orAbsent } from '@tandem/client/internal';
import { fail, type InTenant } from '@tandem/service';
import type { Form as FormRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { readPageTest } from '../ab-tests/page-tests.ts';
import { hasAskRules, readAnswered } from '../forms/asked-fields.ts';
import { fieldsOf } from '../forms/form.ts';
import { sandboxSuffix, urlOf } from '../landing-pages/landing-page.ts';
import { findDomainUrl } from '../page-domains/domain-url.ts';
import { isSoftware } from '../tracking/automated.ts';
import { recordVisit } from './record-visit.ts';
import type { Scope, Visitor } from './visitor.ts';

export type PublicTools = Pick<Tools, 'crm' | 'ids' | 'identity' | 'publicUrl' | 'seal' | 'settingsOf' | 'tracking'>;

/** The slug or id by which a request names a page. */
export type PageName = { slug: string } | { id: number };

const columns = LandingPageVersion.pick({ sections: true, seo: true, style: true });

/** Finds the tenant that an address names by its id or slug, before a transaction opens. */
export async function scopeOf(
  { ids, identity }: Pick<PublicTools, 'ids' | 'identity'>,
  tenant: string,
  { requestId }: Pick<Caller, 'requestId'>,
): Promise<Scope> {
  const isSandbox = tenant.endsWith(sandboxSuffix);
  const named = isSandbox ? tenant.slice(0, -sandboxSuffix.length) : tenant;
  const environment = isSandbox ? 'sandbox' : 'live';
  const tenantId = ids.locate('tenant', named)?.id;
  if (tenantId !== undefined) return { tenantId, environment };
  const as = { environment, requestId } as const;
  const isSlug = /^[a-z0-9-]{1,60}$/.test(named);
  const found = isSlug ? await orAbsent(identity.findTenantBySlug({ params: { slug: named }, as })) : undefined;
  if (!found) throw fail('not_found');
  return { tenantId: found.tenantId, environment };
}

/** Reads what is known about the visitor of a page. */
export function visitorOf(
  caller: Pick<Caller, 'userAgent'>,
  cookies: { [variantCookie]?: string },
  { visit }: { visit?: string | undefined },
): Visitor {
  return { cookie: cookies[variantCookie], isSoftware: isSoftware(caller.userAgent), token: visit };
}

/** The attributes of the cookie: it is sent to the same address only. */
export function cookieAttributes(path: string, maxAgeSeconds: number, { publicUrl }: Pick<PublicTools, 'publicUrl'>) {
  return { path, maxAgeSeconds, sameSite: 'Lax', secure: publicUrl.startsWith('https:') } as const;
}

/** A page as visitors see it, and its form; visits of both representations of a page are recorded here. */
export async function readPublishedPage(
  inTenant: InTenant<Tx, typeof pageVisited>,
  tools: Pick<PublicTools, 'ids' | 'publicUrl' | 'tracking'>,
  { scope, name: named, visitor }: { scope: Scope; name: PageName; visitor: Visitor },
) {
  return inTenant(scope, async (inside) => {
    const { tx } = inside;
    const page = await tx.landingPage.findFirst({ where: { ...named, status: 'published' } });
    if (!page || page.publishedVersion === null) throw fail('not_found');
    const where = { landingPageId: page.id, number: page.publishedVersion };
    const version = await tx.landingPageVersion.findFirst({ where });
    if (!version) throw fail('not_found');
    const { id, slug, tenantId, publishedVersion } = page;
    const { shown, test, cookie } = await readPageTest(tools, tx, {
      page: { id, tenantId, publishedVersion },
      ...visitor,
    });
    const leadId = await recordVisit(inside, tools, { page, scope, visitor });
    const { name, body, formId } = shown ?? version;
    const form = await publishedForm(tx, formId);
    const url = urlOf(page, tools);
    return {
      id,
      slug,
      name,
      body,
      publishedAt: shown?.publishedAt ?? version.createdAt,
      url,
      canonicalUrl: (await findDomainUrl(tools, tx, page)) ?? url,
      form,
      lead: form && leadId !== null ? await earlierAnswers(tx, form, leadId) : undefined,
      ...columns.parse(shown ?? version),
      test,
      cookie,
    };
  });
}

/** The lead that visits a page, with the fields of the form that it has answered; undefined if the form asks everybody. */
async function earlierAnswers(tx: Tx, form: FormRow, id: number) {
  return hasAskRules(fieldsOf(form)) ? { id, answered: await readAnswered(tx, form.id, id) } : undefined;
}

export type PublishedPage = Awaited<ReturnType<typeof readPublishedPage>>;

function publishedForm(tx: Tx, formId: number | null): Promise<FormRow | null> {
  if (formId === null) return Promise.resolve(null);
  return tx.form.findFirst({ where: { id: formId, status: 'published' } });
}
