import { createHash } from 'node:crypto';
import { TemplateVariable } from '@tandem/campaign-contract';
import { nextTime } from '@tandem/time-zones';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { dataOf } from '../engine/graph.ts';
import { minutesOf } from '../engine/timing.ts';
import type { TemplateContent } from '../templates/render.ts';
import { storedVariants } from './ab-test.ts';
import { assignedVariant } from './assigned-variant.ts';

/** The content of a variant of an e-mail, as a test keeps it. */
export const storedMessage = z.object({
  subject: z.string().nullable(),
  preheader: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  variables: z.array(TemplateVariable),
  templateId: z.int().nullable(),
  at: z.string().nullable(),
});
export type StoredMessage = z.output<typeof storedMessage>;

/** A lead at an e-mail node. */
export interface AtNode {
  executionId: number;
  leadId: number;
  workflowId: number;
  nodeId: string;
  data: ReturnType<typeof dataOf<'email'>>;
  enteredAt: Date;
  now: Date;
  timezone: string;
}

/** The content that a lead gets from the tests of its node, or until when it waits. */
export type TestAnswer =
  | { content: TemplateContent; templateId: number | null; variant: string; abTestId: number | null }
  /** The lead waits: for the winner, or for the time of day of its variant. */
  | { until: Date; reason: 'ab_test' | 'send_time' };

interface TestRow {
  id: number;
  workflowId: number;
  nodeId: string;
  status: 'running' | 'completed';
  samplePercent: number;
  variants: unknown;
  autoPromote: boolean;
  endsAt: Date;
  baseline: string;
  winnerKey: string | null;
}

// The winner is chosen some seconds after the end. If it is not, the leads that wait for it get the original.
const graceMs = 5 * 60_000;
const againMs = 1_000;

/** A digest of the content of a node. Once it is changed, the winner of an earlier test is not used any more. */
export function baselineOf({ subjectLine, preheader, html, text, templateId }: AtNode['data']): string {
  return createHash('sha256')
    .update(JSON.stringify([subjectLine, preheader, html, text, templateId].map((part) => part ?? null)))
    .digest('hex');
}

/** The answers of tests by execution; none for leads that get the original. */
export async function readTestAnswers(tx: Tx, all: readonly AtNode[]): Promise<Map<number, TestAnswer>> {
  const answers = new Map<number, TestAnswer>();
  const tests = await readTests(tx, all);
  if (!tests.size) return answers;
  const chosen: { at: AtNode; test: TestRow; key: string }[] = [];
  for (const at of all) {
    const test = tests.get(placeOf(at));
    const choice = test && choose(test, at);
    if (!choice) continue;
    if (typeof choice === 'string') chosen.push({ at, test, key: choice });
    else answers.set(at.executionId, choice);
  }
  const contents = await readContents(tx, chosen);
  for (const { at, test, key } of chosen) {
    const content = contents.get(`${test.id}/${key}`);
    answers.set(at.executionId, content ? answerOf(at, test, key, content) : { until: soon(at), reason: 'ab_test' });
  }
  return answers;
}

const placeOf = ({ workflowId, nodeId }: { workflowId: number; nodeId: string }) => `${workflowId}/${nodeId}`;

/** The test ended between two statements: the next run finds the winner. */
const soon = ({ now }: AtNode) => new Date(now.getTime() + againMs);

/** The running test of each node, or the last one that has a winner. */
async function readTests(tx: Tx, all: readonly AtNode[]): Promise<Map<string, TestRow>> {
  const places = new Map(all.map((one) => [placeOf(one), { workflowId: one.workflowId, nodeId: one.nodeId }]));
  if (!places.size) return new Map();
  const rows = await tx.sql<TestRow>`
    SELECT DISTINCT ON (test.workflow_id, test.node_id) test.id, test.workflow_id AS "workflowId",
      test.node_id AS "nodeId", test.status, test.sample_percent AS "samplePercent", test.variants,
      test.auto_promote AS "autoPromote", test.ends_at AS "endsAt", test.baseline, test.winner_key AS "winnerKey"
    FROM jsonb_to_recordset(${JSON.stringify([...places.values()])}::jsonb) AS given ("workflowId" bigint, "nodeId" text)
    JOIN ab_test AS test ON test.workflow_id = given."workflowId" AND test.node_id = given."nodeId"
    WHERE test.status IN ('running', 'completed')
    ORDER BY test.workflow_id, test.node_id, test.status = 'running' DESC, test.ended_at DESC`;
  return new Map(rows.map((row) => [placeOf(row), row]));
}

/** The key of the variant that a lead gets, or until when it waits; undefined for the original. */
function choose(test: TestRow, { leadId, now, data }: AtNode): string | TestAnswer | undefined {
  if (test.status === 'completed')
    return test.baseline === baselineOf(data) ? (test.winnerKey ?? undefined) : undefined;
  const key =
    now < test.endsAt ? assignedVariant({ ...test, variants: storedVariants.parse(test.variants) }, leadId) : undefined;
  if (key !== undefined || !test.autoPromote) return key;
  const until = new Date(test.endsAt.getTime() + graceMs);
  return until > now ? { until, reason: 'ab_test' } : undefined;
}

/** The contents of variants, by `<test>/<key>`. */
async function readContents(
  tx: Tx,
  chosen: readonly { test: TestRow; key: string }[],
): Promise<Map<string, StoredMessage>> {
  if (!chosen.length) return new Map();
  const wanted = new Map(chosen.map(({ test, key }) => [`${test.id}/${key}`, { id: test.id, key }]));
  const rows = await tx.sql<{ place: string; content: unknown }>`
    SELECT given.id || '/' || given.key AS place,
      coalesce(test.contents -> given.key, CASE WHEN test.winner_key = given.key THEN test.winner END) AS content
    FROM jsonb_to_recordset(${JSON.stringify([...wanted.values()])}::jsonb) AS given (id bigint, key text)
    JOIN ab_test AS test ON test.id = given.id`;
  return new Map(
    rows.flatMap(({ place, content }) => (content === null ? [] : [[place, storedMessage.parse(content)] as const])),
  );
}

function answerOf(at: AtNode, test: TestRow, variant: string, stored: StoredMessage): TestAnswer {
  const { templateId, at: time, ...content } = stored;
  if (time !== null) {
    const until = sendTime(at, time);
    if (until > at.now) return { until, reason: 'send_time' };
  }
  return { content, templateId, variant, abTestId: test.status === 'running' ? test.id : null };
}

/** The first time of day at or after the minute in which the lead reached the node. */
function sendTime({ enteredAt, timezone }: AtNode, time: string): Date {
  const minute = Math.floor(enteredAt.getTime() / 60_000) * 60_000;
  return nextTime(new Date(minute - 1), minutesOf(time), timezone);
}
