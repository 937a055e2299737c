import type { FieldError } from '@tandem/contract';

/** The part of a workflow that makes it a graph. */
export interface Graph {
  nodes: readonly { nodeId: string }[];
  edges: readonly { edgeId: string; source: string; target: string }[];
}

/** Finds duplicate ids of nodes and edges, and edges to missing nodes; each with its field. */
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

/** The positions of values that occurred before. */
function repeated(values: string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}
