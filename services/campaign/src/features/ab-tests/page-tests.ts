import { randomUUID } from 'node:crypto';
import type { Tools, Tx } from '../../handler.ts';
import { storedVariants } from './ab-test.ts';
import { assignedVariant } from './assigned-variant.ts';
import { pageBaseline, type StoredPage, storedPage } from './copy-pages.ts';

/** A visit of a published page. */
export interface Visit {
  page: { id: number; tenantId: number; publishedVersion: number };
  /** The value of the cookie of an earlier visit. */
  cookie: string | undefined;
  /** Software, such as a crawler, sees the original, and does not count. */
  isSoftware: boolean;
}

/** The version that a visitor sees because of the tests of a page; without `shown` it is the original. */
export interface Shown {
  shown?: StoredPage;
  /** The test in which the visitor takes part, for submissions of the form. */
  test?: { abTestId: number; variant: string };
  cookie?: { value: string; maxAgeSeconds: number };
}

interface TestRow {
  id: number;
  status: 'running' | 'completed';
  samplePercent: number;
  variants: unknown;
  endsAt: Date;
  baseline: string;
  winnerKey: string | null;
}

/**
 * Finds what a visitor of a page sees: the winner of its last test, or the variant of the running one. The cookie has the
 * test and the variant, and nothing that identifies a person; who comes without it is counted as a new visitor.
 */
export async function readPageTest({ ids }: Pick<Tools, 'ids'>, tx: Tx, visit: Visit): Promise<Shown> {
  const { page, cookie, isSoftware } = visit;
  const [test] = await tx.sql<TestRow>`
    SELECT id, status, sample_percent AS "samplePercent", variants, ends_at AS "endsAt", baseline,
      winner_key AS "winnerKey"
    FROM ab_test WHERE landing_page_id = ${page.id} AND status IN ('running', 'completed')
    ORDER BY status = 'running' DESC, ended_at DESC LIMIT 1`;
  if (!test) return {};
  if (test.status === 'completed') {
    if (test.baseline !== pageBaseline(page.publishedVersion) || test.winnerKey === null) return {};
    return shownAs(await readContent(tx, test.id, test.winnerKey));
  }
  const now = Date.now();
  if (isSoftware || now >= test.endsAt.getTime()) return {};
  const variants = storedVariants.parse(test.variants);
  const code = ids.encode('ab_test', page.tenantId, test.id);
  const before = earlierVariant(cookie, code, variants);
  const variant = before === undefined ? assignedVariant({ ...test, variants }, randomUUID()) : before.key;
  const maxAgeSeconds = Math.ceil((test.endsAt.getTime() - now) / 1_000);
  const set = before ? {} : { cookie: { value: `${code}.${variant ?? ''}`, maxAgeSeconds } };
  if (variant === undefined) return set;
  const content = await readContent(tx, test.id, variant);
  // The test ended between two statements.
  if (!content) return {};
  if (!before) await countVisitor(tx, test.id, variant);
  return { ...shownAs(content), test: { abTestId: test.id, variant }, ...set };
}

const shownAs = (shown: StoredPage | undefined): Shown => (shown ? { shown } : {});

/** The variant of an earlier visit, without a key if it was outside of the sample. Undefined for a new visitor. */
function earlierVariant(
  cookie: string | undefined,
  code: string,
  variants: readonly { key: string }[],
): { key: string | undefined } | undefined {
  const [of, key] = cookie?.split('.') ?? [];
  if (of !== code) return undefined;
  if (key === '') return { key: undefined };
  return variants.some((one) => one.key === key) ? { key } : undefined;
}

async function readContent(tx: Tx, id: number, key: string): Promise<StoredPage | undefined> {
  const [row] = await tx.sql<{ content: unknown }>`
    SELECT coalesce(contents -> ${key}::text, CASE WHEN winner_key = ${key} THEN winner END) AS content
    FROM ab_test WHERE id = ${id}`;
  return row && row.content !== null ? storedPage.parse(row.content) : undefined;
}

async function countVisitor(tx: Tx, abTestId: number, variant: string): Promise<void> {
  await tx.sql`
    INSERT INTO ab_test_visits (ab_test_id, variant, visitors) VALUES (${abTestId}, ${variant}, 1)
    ON CONFLICT (tenant_id, environment, ab_test_id, variant) DO UPDATE SET visitors = ab_test_visits.visitors + 1`;
}
