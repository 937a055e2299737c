import { LandingPageVersion } from '@tandem/campaign-contract';
import { fail, failField } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { AbTestRecord } from './ab-test.ts';

const columns = LandingPageVersion.pick({ name: true, sections: true, seo: true, style: true });

/** The content of a variant of a landing page, as a test keeps it. */
export const storedPage = columns.extend({
  body: z.string(),
  formId: z.int().nullable(),
  publishedAt: z.coerce.date(),
});
export type StoredPage = z.output<typeof storedPage>;

/** Copies the content of every variant of a page. The original is the version that visitors see now. */
export async function copyPages(tx: Tx, { landingPageId, variants }: AbTestRecord) {
  const original = await publishedNumber(tx, landingPageId, 'landingPageId');
  const contents: Record<string, object> = {};
  for (const [index, { key, override = {} }] of variants.entries()) {
    const { landingPageId: other, landingPageVersion } = override;
    const of =
      other === undefined
        ? { landingPageId: landingPageId as number, number: landingPageVersion ?? original }
        : {
            landingPageId: other,
            number: await publishedNumber(tx, other, `variants.${index}.override.landingPageId`),
          };
    const version = await tx.landingPageVersion.findFirst({ where: of });
    if (!version) throw fail('not_found');
    const { body, formId, createdAt } = version;
    contents[key] = { ...columns.parse(version), body, formId, publishedAt: createdAt.toISOString() };
  }
  return { contents, baseline: pageBaseline(original) };
}

/** The published version at the start of a test. Once the page is published again, the winner is not shown any more. */
export const pageBaseline = (publishedVersion: number): string => String(publishedVersion);

async function publishedNumber(tx: Tx, id: number | null, field: string): Promise<number> {
  const page = await tx.landingPage.findFirst({ where: { id: id as number } });
  if (page?.status !== 'published' || page.publishedVersion === null)
    throw failField(field, 'The page is not published; publish it before the test starts');
  return page.publishedVersion;
}
