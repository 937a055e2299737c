import type { Tools, Tx } from '../../../handler.ts';
import type { TemplateContent } from '../../templates/render.ts';
import { findTemplate } from '../../templates/template.ts';
import type { LeadRecord } from '../facts.ts';
import { dataOf } from '../graph.ts';
import type { ToSend } from './to-send.ts';

/** The content of a node: its template, its own texts, or a letter with its subject, as generated nodes have only one. */
function sourceOf(data: ReturnType<typeof dataOf<'email'>>): TemplateContent {
  const { subjectLine = '', preheader = null, html = null, text = null } = data;
  const body = html === null && text === null ? `{{ lead.firstName }},\n\n${subjectLine}` : text;
  return { subject: subjectLine, preheader, html, text: body, variables: [] };
}

/** The contents of the nodes of all messages, by execution; none for a template that was archived or deleted. */
export async function readContents(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  all: readonly ToSend[],
): Promise<Map<number, TemplateContent | undefined>> {
  const templates = new Map<string, TemplateContent | undefined>();
  const contents = new Map<number, TemplateContent | undefined>();
  for (const { node, due } of all) {
    const data = dataOf(node, 'email');
    const { templateId: code } = data;
    if (code === undefined) {
      contents.set(due.executionId, sourceOf(data));
      continue;
    }
    if (!templates.has(code)) {
      const id = ids.decode('template', due.tenantId, code);
      const template = id === undefined ? undefined : await findTemplate(tx, id);
      templates.set(code, template?.status === 'active' ? template : undefined);
    }
    const template = templates.get(code);
    // A subject of the node replaces the one of the template.
    contents.set(due.executionId, template && { ...template, subject: data.subjectLine || template.subject });
  }
  return contents;
}

/** What placeholders can name. */
export function dataFor(lead: LeadRecord, payload: Record<string, unknown> = {}): Record<string, unknown> {
  const { id, firstName, lastName, email, phone, status, source, score, tags, customFields } = lead;
  return { lead: { id, firstName, lastName, email, phone, status, source, score, tags, customFields }, payload };
}
