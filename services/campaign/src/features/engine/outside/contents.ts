import type { Tools, Tx } from '../../../handler.ts';
import { readTestAnswers } from '../../ab-tests/node-tests.ts';
import type { TemplateContent } from '../../templates/render.ts';
import { findTemplateAt } from '../../templates/template.ts';
import { leadValues } from '../../templates/template-data.ts';
import type { LeadRecord } from '../facts.ts';
import { dataOf } from '../graph.ts';
import type { Version } from '../versions.ts';
import { reachedAt, type ToSend } from './to-send.ts';

type EmailData = ReturnType<typeof dataOf<'email'>>;

/** The content of a message, and its origin as the row of the message has it. */
export interface MessageContent {
  content: TemplateContent;
  templateId: number | null;
  variant: string | null;
  /** The test in which the lead takes part. */
  abTestId: number | null;
}

/** The lead waits for the winner of a test, or for the time of day of its variant. */
export interface HeldBack {
  until: Date;
  reason: string;
}

/** The content of a node: its template, its own texts, or a letter with its subject, as generated nodes have only one. */
export function sourceOf(data: EmailData): TemplateContent {
  const { subjectLine = '', preheader = null, html = null, text = null } = data;
  const body = html === null && text === null ? `{{ lead.firstName }},\n\n${subjectLine}` : text;
  return { subject: subjectLine, preheader, html, text: body, variables: [] };
}

/**
 * The original content of a node: of its template, the version that was current when the workflow was published.
 * Undefined if the template was deleted.
 */
export async function originalOf(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  { tenantId, data, version }: { tenantId: number; data: EmailData; version: Pick<Version, 'templateVersions'> },
): Promise<Pick<MessageContent, 'content' | 'templateId'> | undefined> {
  const { templateId: code } = data;
  if (code === undefined) return { content: sourceOf(data), templateId: null };
  const id = ids.decode('template', tenantId, code);
  const template = id === undefined ? undefined : await findTemplateAt(tx, id, version.templateVersions[code]);
  if (!template) return undefined;
  const { subject, preheader, html, text, variables } = template;
  // A subject of the node replaces the one of the template.
  const content = { subject: data.subjectLine || subject, preheader, html, text, variables };
  return { content, templateId: template.id };
}

/** The contents of all messages, by execution; none for a template that was deleted. */
export async function readContents(
  tools: Pick<Tools, 'ids'>,
  tx: Tx,
  all: readonly ToSend[],
): Promise<Map<number, MessageContent | HeldBack | undefined>> {
  const answers = await readTestAnswers(
    tx,
    all.map(({ due, node, step, facts }) => ({
      executionId: due.executionId,
      leadId: due.leadId,
      workflowId: due.workflowId,
      nodeId: node.nodeId,
      data: dataOf(node, 'email'),
      enteredAt: reachedAt({ due, step, facts }),
      now: facts.now,
      timezone: facts.timezone,
    })),
  );
  const originals = new Map<string, Awaited<ReturnType<typeof originalOf>>>();
  const contents = new Map<number, MessageContent | HeldBack | undefined>();
  for (const { node, due } of all) {
    const answer = answers.get(due.executionId);
    if (answer) {
      contents.set(due.executionId, answer);
      continue;
    }
    const data = dataOf(node, 'email');
    const place = `${due.workflowId}/${due.number}/${node.nodeId}`;
    if (!originals.has(place))
      originals.set(place, await originalOf(tools, tx, { tenantId: due.tenantId, data, version: due.version }));
    const original = originals.get(place);
    contents.set(due.executionId, original && { ...original, variant: null, abTestId: null });
  }
  return contents;
}

/** The columns of a message that say where its content is from. */
export function originOf(content: MessageContent | HeldBack | undefined) {
  if (!content || 'until' in content) return { templateId: null, variant: null, abTestId: null };
  const { templateId, variant, abTestId } = content;
  return { templateId, variant, abTestId };
}

/** The values for placeholders. */
export function dataFor(lead: LeadRecord, payload: Record<string, unknown> = {}): Record<string, unknown> {
  return { lead: leadValues(lead), payload };
}
