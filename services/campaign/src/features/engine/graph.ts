import { type NodeType, nodeData } from '@tandem/campaign-contract';
import { after, holdMinMs } from './timing.ts';

export interface GraphNode {
  nodeId: string;
  type: NodeType;
  data: Record<string, unknown>;
}

export interface GraphEdge {
  edgeId: string;
  source: string;
  target: string;
  branch?: string | undefined;
}

/** The stored form of a graph. */
export interface StoredGraph {
  nodes: readonly { nodeId: string; type: NodeType; data?: Record<string, unknown> | undefined }[];
  edges: readonly GraphEdge[];
}

/** The nodes of a workflow and where each leads to. */
export interface Graph {
  nodes: readonly GraphNode[];
  trigger: GraphNode | undefined;
  node(nodeId: string): GraphNode | undefined;
  /** The node after a branch of this one; without a branch, or if none has its name, the default one. */
  next(nodeId: string, branch?: string): string | undefined;
  /** The nodes to which the edges of a node lead. */
  targets(nodeId: string): string[];
}

// The branches of edges without a name, in their order.
const unnamed: Partial<Record<NodeType, readonly string[]>> = {
  condition: ['yes', 'no'],
  wait_for_event: ['yes', 'no'],
};

/** Reads a graph. Node data is not checked here: see `publish-errors.ts`. */
export function createGraph({ nodes, edges }: StoredGraph): Graph {
  const read = nodes.map((node) => ({ ...node, data: node.data ?? {} }));
  const byId = new Map(read.map((node) => [node.nodeId, node]));
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  return {
    nodes: read,
    trigger: read.find(({ type }) => type === 'trigger'),
    node: (nodeId) => byId.get(nodeId),
    targets: (nodeId) => (outgoing.get(nodeId) ?? []).map(({ target }) => target),
    next(nodeId, branch) {
      const found = outgoing.get(nodeId) ?? [];
      const free = found.filter((edge) => edge.branch === undefined);
      if (branch === undefined) return (free[0] ?? found.find((edge) => edge.branch === 'default') ?? found[0])?.target;
      const named = found.find((edge) => edge.branch === branch);
      if (named) return named.target;
      const names = unnamed[byId.get(nodeId)?.type ?? 'exit'];
      // If only one of two branches has a name, the edge without one is the other.
      const place = names?.filter((name) => !found.some((edge) => edge.branch === name)).indexOf(branch) ?? -1;
      const edge = place >= 0 ? free[place] : names ? undefined : free[0];
      return (edge ?? found.find((one) => one.branch === 'default'))?.target;
    },
  };
}

/** The data of a node, as its type has it. Nodes of a published version have been checked. */
export function dataOf<Type extends NodeType>(node: GraphNode, type: Type) {
  return nodeData[type].parse(node.data) as ReturnType<(typeof nodeData)[Type]['parse']>;
}

/** Whether a lead stays at a node at each visit: until a time of the day, or long enough to hold a cycle. */
export function holdsLead({ type, data }: GraphNode): boolean {
  if (type !== 'wait' && type !== 'wait_for_event') return false;
  const { data: checked } = nodeData[type].safeParse(data);
  // The data of a draft may have errors, which are reported for its fields.
  if (!checked || ('at' in checked && checked.at !== undefined)) return true;
  return after(new Date(0), checked, 'UTC').getTime() >= holdMinMs;
}
