import type { Sequence, SequenceNode, WorkflowEdge } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { furtherEmails, type Story, stories, subjectIn } from './sequence-stories.ts';
import { shortened, toneOf, variantOf } from './words.ts';

type Node = z.output<typeof SequenceNode>;
type Edge = z.output<typeof WorkflowEdge>;

export interface SequenceRequest {
  prompt: string;
  industry?: string | null | undefined;
  tone?: string | null | undefined;
  emailCount?: string | null | undefined;
}

const emailsMax = 12;
const emailsDefault = 4;

/** The number of e-mails that is asked for, from 1 to 12; the upper bound of a range such as "3-5". */
export function emailCountOf({ emailCount, prompt }: Pick<SequenceRequest, 'emailCount' | 'prompt'>): number {
  const inPrompt = /(\d{1,3})[\s-]{0,3}(?:part|step|e-?mails?|messages)\b/i.exec(prompt)?.[1];
  const numbers = (emailCount ?? '').match(/\d+/g) ?? (inPrompt ? [inPrompt] : [String(emailsDefault)]);
  return Math.min(emailsMax, Math.max(1, ...numbers.map(Number)));
}

/** Writes a sequence without an AI provider. The same request always gives the same sequence. */
export function sequenceTemplate(request: SequenceRequest): z.output<typeof Sequence> {
  const story = stories[variantOf(`${request.prompt} ${request.industry ?? ''}`)];
  const count = emailCountOf(request);
  const industry = shortened(request.industry ?? '', 60);
  const subjectOf = subjectIn[toneOf(request.tone)];
  const emails = [...story.emails, ...furtherEmails].slice(0, count).map(([label, subject]) => ({
    label,
    subjectLine: subjectOf(subject.replace('{in}', industry && ` in ${industry}`)),
  }));
  return {
    name: industry ? `${story.title} for ${industry}` : story.title,
    description: `${count} ${count === 1 ? 'e-mail' : 'e-mails'} for: ${shortened(request.prompt, 300)}`,
    ...graphOf(story, emails),
  };
}

/**
 * Builds the graph: a trigger, then e-mails with waits between them. A condition before the third e-mail gives leads who did
 * not react to the second one more time.
 */
function graphOf(story: Story, emails: Email[]): { nodes: Node[]; edges: Edge[] } {
  const graph = createGraph();
  let last = graph.add('trigger', story.trigger);
  for (const [index, email] of emails.entries()) {
    if (index > 0) last = graph.add('wait', waitOf(daysBefore(story, index)), { after: last });
    if (index !== 2) {
      last = graph.add('email', email, { after: last });
      continue;
    }
    const condition = graph.add(
      'condition',
      { label: `Reacted to “${emails[1]?.label}”?`, conditionField: story.conditionField },
      { after: last },
    );
    const longerWait = graph.add('wait', waitOf(daysBefore(story, index)), { isBranch: true });
    last = graph.add('email', email, { after: condition, branch: 'yes' });
    graph.connect(condition, longerWait, 'no');
    graph.connect(longerWait, last);
  }
  return { nodes: graph.nodes, edges: graph.edges };
}

interface Email {
  label: string;
  subjectLine: string;
}

/** The days between an e-mail and the one before it; the first e-mail, with index 0, has none before it. */
function daysBefore({ waits }: Story, index: number): number {
  return waits[Math.min(index, waits.length) - 1] ?? 1;
}

function waitOf(days: number): Node['data'] {
  return { label: `Wait ${days} ${days === 1 ? 'day' : 'days'}`, duration: days, durationUnit: 'days' };
}

const column = { main: 250, branch: 550 };
const rowHeight = 150;

/** Collects nodes, one below the other, and the edges between them. */
function createGraph() {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const connect = (source: string, target: string, branch?: string): void => {
    edges.push({ edgeId: `edge-${edges.length + 1}`, source, target, ...(branch && { branch }) });
  };
  const add = (
    type: Node['type'],
    data: Node['data'],
    { after, branch, isBranch = false }: { after?: string; branch?: string; isBranch?: boolean } = {},
  ): string => {
    const nodeId = `${type}-${nodes.filter((node) => node.type === type).length + 1}`;
    const position = { x: isBranch ? column.branch : column.main, y: nodes.length * rowHeight };
    nodes.push({ nodeId, type, position, data });
    if (after) connect(after, nodeId, branch);
    return nodeId;
  };
  return { nodes, edges, add, connect };
}
