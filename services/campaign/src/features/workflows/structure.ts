import type { FieldError } from '@tandem/contract';

/** The part of a workflow that makes it a graph. */
export interface Graph {
  nodes: readonly { nodeId: string }[];
  edges: readonly { edgeId: string; source: string; target: string }[];
}

/** What is wrong with a graph, each with its field: two nodes or edges with one id, and edges to nothing. */
export function structureErrors({ nodes, edges }: Graph): FieldError[] {
  const known = new Set(nodes.map(({ nodeId }) => nodeId));
  const missing = 'No node with this nodeId';
  return [
    ...repeated(nodes.map(({ nodeId }) => nodeId)).map((index) => ({
      field: `nodes.${index}.nodeId`,
      message: 'Another node has this nodeId',
    })),
    ...repeated(edges.map(({ edgeId }) => edgeId)).map((index) => ({
      field: `edges.${index}.edgeId`,
      message: 'Another edge has this edgeId',
    })),
    ...edges.flatMap(({ source, target }, index) => [
      ...(known.has(source) ? [] : [{ field: `edges.${index}.source`, message: missing }]),
      ...(known.has(target) ? [] : [{ field: `edges.${index}.target`, message: missing }]),
    ]),
  ];
}

/** Where values stand that stood before. */
function repeated(values: string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}
