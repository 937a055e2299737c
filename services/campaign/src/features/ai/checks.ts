import { contentMax, type GeneratedPage, type Sequence } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Cleaned, HtmlCleaner } from '../landing-pages/html-cleaner.ts';
import { type Graph, structureErrors } from '../workflows/structure.ts';

/** Errors of a generated sequence beyond its schema: it needs one trigger that reaches all nodes, and no cycles. */
export function sequenceErrors(sequence: z.output<typeof Sequence>): string[] {
  const structure = structureErrors(sequence).map(({ field, message }) => `${field}: ${message}`);
  const triggers = sequence.nodes.filter(({ type }) => type === 'trigger');
  if (triggers.length !== 1) structure.push('nodes: exactly one node must have the type trigger');
  if (!sequence.nodes.some(({ type }) => type === 'email'))
    structure.push('nodes: at least one node must have the type email');
  // The checks below need edges between existing nodes.
  if (structure.length) return structure;
  return [
    ...unreachable(sequence, triggers[0]?.nodeId as string).map(
      (nodeId) => `nodes: ${nodeId} is not reachable from the trigger`,
    ),
    ...(isAcyclic(sequence) ? [] : ['edges: they form a cycle']),
  ];
}

function unreachable({ nodes, edges }: Graph, from: string): string[] {
  const targets = Map.groupBy(edges, ({ source }) => source);
  const reached = new Set([from]);
  // Iterating over a set includes entries added during the iteration.
  for (const nodeId of reached) for (const { target } of targets.get(nodeId) ?? []) reached.add(target);
  return nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !reached.has(nodeId));
}

/** Removes nodes without incoming edges until none is left (Kahn's algorithm). The remaining nodes form cycles. */
function isAcyclic({ nodes, edges }: Graph): boolean {
  let ids = nodes.map(({ nodeId }) => nodeId);
  let remaining = edges;
  for (;;) {
    const targets = new Set(remaining.map(({ target }) => target));
    const kept = ids.filter((nodeId) => targets.has(nodeId));
    if (kept.length === ids.length) return kept.length === 0;
    const present = new Set(kept);
    remaining = remaining.filter(({ source }) => present.has(source));
    ids = kept;
  }
}

// Only triggers a retry of the model; its output is always cleaned.
const activeContent = /<\s{0,9}(script|iframe|object|embed|form)\b|\son[a-z]{3,20}\s{0,9}=|javascript\s{0,9}:/i;

/** Errors of a generated page beyond its schema: sections out of order, content with scripts. */
export async function pageErrors(
  { sections, content }: z.output<typeof GeneratedPage>,
  cleaner: HtmlCleaner,
  tenantId: number | undefined,
): Promise<string[]> {
  const orders = sections.map(({ order }) => order).sort((a, b) => a - b);
  const ids = new Set(sections.map(({ sectionId }) => sectionId));
  return [
    ...(sections.length ? [] : ['sections: must not be empty']),
    ...(orders.every((order, index) => order === index) ? [] : ['sections: order must be 0, 1, 2, … without gaps']),
    ...(ids.size === sections.length ? [] : ['sections: every sectionId must be unique']),
    ...contentErrors(await cleaner.clean(content, tenantId)),
    ...(activeContent.test(content) ? ['content: must not contain scripts, frames, forms or event handlers'] : []),
  ];
}

function contentErrors(cleaned: Cleaned): string[] {
  if ('error' in cleaned) return [`content: ${cleaned.error}`];
  return [
    ...(cleaned.html.trim() ? [] : ['content: must not be empty']),
    ...(cleaned.html.length > contentMax ? [`content: must be at most ${contentMax} characters`] : []),
  ];
}
