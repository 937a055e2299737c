import { type ParseResult, parse } from 'libpg-query';

/** A statement as PostgreSQL's own parser reads it. */
export type StatementNode = NonNullable<NonNullable<ParseResult['stmts']>[number]['stmt']>;

/** One statement of a file of SQL. */
export interface Statement {
  text: string;
  node: StatementNode;
  /** The comments directly before it. */
  comment: string;
}

/**
 * Splits a file of SQL into its statements with PostgreSQL's parser.
 * @throws with PostgreSQL's message for text that is not SQL
 */
export async function readStatements(sql: string): Promise<Statement[]> {
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  let before = 0;
  return stmts.flatMap(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    if (!stmt) return [];
    // Positions count bytes. The parser leaves out comments before the first statement, and has them in the later ones.
    const end = length ? from + length : bytes.length;
    const whole = bytes
      .subarray(before, end)
      .toString()
      .replace(/^;?\s*/, '');
    before = end;
    const comment = /^(?:\s*--[^\n]*(?:\n|$))*/.exec(whole)?.[0] ?? '';
    return [{ text: whole.slice(comment.length).trim().replace(/;$/, ''), node: stmt, comment: comment.trim() }];
  });
}

/** Whether a statement builds or removes an index without a lock that holds up reads or writes. */
export function isConcurrentIndex({ node }: Statement): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true;
  return 'DropStmt' in node && node.DropStmt.removeType === 'OBJECT_INDEX' && node.DropStmt.concurrent === true;
}

/** The names of all tables that a part of a statement names; `schema.table` outside of the schema `public`. */
export function tablesIn(node: unknown): Set<string> {
  const names = new Set<string>();
  collect(node, names);
  return names;
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (isRelation(key, value)) names.add(tableName(value));
    collect(value, names);
  }
}

interface RangeVar {
  schemaname?: string;
  relname: string;
}

/** A table is a `RangeVar` in a list, and named by its role (`relation`, `pktable`, `table`) elsewhere. */
function isRelation(key: string, value: unknown): value is RangeVar {
  if (!['RangeVar', 'relation', 'pktable', 'table'].includes(key)) return false;
  return typeof (value as { relname?: unknown } | null)?.relname === 'string';
}

/** A table's name as the other functions here use it. */
export function tableName({ schemaname, relname }: RangeVar): string {
  return schemaname && schemaname !== 'public' ? `${schemaname}.${relname}` : relname;
}
