import { readMigrations } from './migration-files.ts';
import { kindOf } from './runner.ts';
import { findServices } from './services.ts';
import { readStatements, type Statement, tableName, tablesIn } from './statements.ts';

/** A rule against statements that are unsafe on a table that has rows and is in use. */
interface Rule {
  name: string;
  /** The effect on a running system, and what to write instead. */
  advice: string;
  /** Whether the statement breaks the rule. `isNew` tells whether the same file creates the table. */
  isBroken(statement: Statement, isNew: (table: string) => boolean): boolean;
}

// Functions with one value per statement: PostgreSQL stores it in the catalogue instead of rewriting the table.
const stableFunctions = new Set(['now', 'transaction_timestamp', 'statement_timestamp', 'tenant_id', 'environment']);

const rewritingCommands = new Set(['AT_SetLogged', 'AT_SetUnLogged', 'AT_SetAccessMethod', 'AT_SetTableSpace']);

const rules: readonly Rule[] = [
  {
    name: 'index',
    advice:
      'building an index blocks writes until it is done: use CREATE INDEX CONCURRENTLY IF NOT EXISTS in a separate migration',
    isBroken: ({ node }, isNew) =>
      'IndexStmt' in node &&
      !isNew(tableOf(node.IndexStmt.relation)) &&
      !(node.IndexStmt.concurrent && node.IndexStmt.if_not_exists),
  },
  {
    name: 'drop-index',
    advice: 'DROP INDEX waits for running queries and blocks later ones: use DROP INDEX CONCURRENTLY IF EXISTS',
    isBroken: ({ node }) =>
      'DropStmt' in node &&
      node.DropStmt.removeType === 'OBJECT_INDEX' &&
      !(node.DropStmt.concurrent && node.DropStmt.missing_ok),
  },
  {
    name: 'column-rewrite',
    advice:
      'a stored generated column, an identity or a volatile default rewrites the table under an exclusive lock: add a nullable column, fill it with a backfill, then set the default',
    isBroken: (statement, isNew) => addedColumns(statement, isNew).some(rewritesTable),
  },
  {
    name: 'column-required',
    advice:
      'NOT NULL without a default fails for existing rows: add a default, or add a nullable column and fill it first',
    isBroken: (statement, isNew) =>
      addedColumns(statement, isNew).some((column) => has(column, 'CONSTR_NOTNULL') && !has(column, 'CONSTR_DEFAULT')),
  },
  {
    name: 'column-type',
    advice:
      'changing a type rewrites the table and breaks the previous release: add a new column, fill it with a backfill, and drop the old column one release later',
    isBroken: (statement, isNew) => commands(statement, isNew).some(({ subtype }) => subtype === 'AT_AlterColumnType'),
  },
  {
    name: 'set-not-null',
    advice:
      'SET NOT NULL scans the whole table under an exclusive lock: add CHECK (column IS NOT NULL) NOT VALID, validate it in the next migration, then set NOT NULL',
    isBroken: (statement, isNew) => commands(statement, isNew).some(({ subtype }) => subtype === 'AT_SetNotNull'),
  },
  {
    name: 'constraint',
    advice:
      'a new constraint scans the whole table under a lock: add foreign keys and checks as NOT VALID and validate them in the next migration; for a unique constraint, build the index CONCURRENTLY and add the constraint USING INDEX',
    isBroken: (statement, isNew) => commands(statement, isNew).some(checksAllRows),
  },
  {
    name: 'rename',
    advice:
      'the previous release still uses the old name: add a table or column with the new name, and drop the old one one release later',
    isBroken: ({ node }, isNew) =>
      'RenameStmt' in node &&
      ['OBJECT_TABLE', 'OBJECT_COLUMN'].includes(node.RenameStmt.renameType as string) &&
      !isNew(tableOf(node.RenameStmt.relation)),
  },
  {
    name: 'data',
    advice:
      'row-level security hides all rows from the table owner, and a long change holds its locks: move the statement to a file that begins with "-- backfill", with a LIMIT on the changed rows',
    isBroken: ({ node, comment }, isNew) => {
      if (!changesRows(node)) return false;
      return !/^-- backfill\b/.test(comment) && [...tablesIn(node)].some((table) => !isNew(table));
    },
  },
  {
    name: 'code',
    advice: 'this check cannot read the code that DO and CALL run: write its statements directly',
    isBroken: ({ node }) => 'DoStmt' in node || 'CallStmt' in node,
  },
  {
    name: 'drop',
    advice:
      'the previous release still uses the table or column: drop it one release later, and name the release that stopped using it in "-- allow drop: <reason>"',
    isBroken: (statement, isNew) =>
      droppedTables(statement).some((table) => !isNew(table)) ||
      commands(statement, isNew).some(({ subtype }) => subtype === 'AT_DropColumn'),
  },
  {
    name: 'table-rewrite',
    advice:
      'this rewrites the table under an exclusive lock: create a new table beside it, fill it with a backfill, and drop the old one one release later',
    isBroken: (statement, isNew) =>
      commands(statement, isNew).some(({ subtype }) => rewritingCommands.has(subtype ?? '')) ||
      ('ClusterStmt' in statement.node && !isNew(tableOf(statement.node.ClusterStmt.relation))),
  },
  {
    name: 'lock',
    advice:
      'the lock blocks requests until the end of the transaction, and each statement takes the lock that it needs: remove LOCK TABLE',
    isBroken: ({ node }, isNew) => 'LockStmt' in node && [...tablesIn(node)].some((table) => !isNew(table)),
  },
  {
    name: 'reindex',
    advice:
      'REINDEX blocks writes, and with CONCURRENTLY it cannot run in a transaction: in a separate migration, create an index with another name by CREATE INDEX CONCURRENTLY IF NOT EXISTS, and drop the old one by DROP INDEX CONCURRENTLY IF EXISTS',
    isBroken: ({ node }) => 'ReindexStmt' in node,
  },
  {
    name: 'truncate',
    advice:
      'TRUNCATE deletes the rows of every tenant, which the previous release still uses, under an exclusive lock: delete rows in a file that begins with "-- backfill", with a LIMIT',
    isBroken: ({ node }, isNew) => 'TruncateStmt' in node && [...tablesIn(node)].some((table) => !isNew(table)),
  },
  {
    name: 'backfill-limit',
    advice: 'a backfill must change a limited number of rows at a time: select them in a subquery with LIMIT',
    isBroken: ({ text, comment }) => /^-- backfill\b/.test(comment) && !/\bLIMIT\s+\d+/i.test(text),
  },
];

/**
 * Finds statements that are unsafe on a running system: table rewrites, long locks, changes of data that row-level
 * security hides, or changes that break the previous release. A comment `-- allow <rule>: <reason>` before a statement
 * permits it.
 * @param sql with the names of roles filled in
 * @returns one message per finding, with what to do instead
 */
export async function checkMigration(sql: string): Promise<string[]> {
  const statements = await readStatements(sql);
  const isNew = (table: string) => created.has(table);
  const created = new Set(
    statements.flatMap(({ node }) => ('CreateStmt' in node ? [tableOf(node.CreateStmt.relation)] : [])),
  );
  const findings = statements.flatMap((statement) => {
    const broken = rules.filter((rule) => rule.isBroken(statement, isNew) && !isAllowed(rule, statement));
    return broken.map(({ name, advice }) => `${firstLine(statement.text)} (${name}): ${advice}`);
  });
  findings.push(...validatedTooEarly(statements));
  try {
    kindOf(statements);
  } catch (error) {
    findings.push((error as Error).message);
  }
  return findings;
}

function isAllowed({ name }: Rule, { comment }: Statement): boolean {
  return new RegExp(`^-- allow ${name}: \\S`, 'm').test(comment);
}

function firstLine(text: string): string {
  return (text.split('\n')[0] as string).slice(0, 100);
}

/** Whether a statement changes rows, also in a part of it such as WITH. */
function changesRows(node: object): boolean {
  // The statements in their bodies run later.
  if ('CreateFunctionStmt' in node || 'RuleStmt' in node) return false;
  return (
    ['UpdateStmt', 'DeleteStmt', 'InsertStmt', 'MergeStmt'].some((kind) => kind in node) ||
    ('CopyStmt' in node && (node.CopyStmt as { is_from?: boolean }).is_from === true) ||
    Object.values(node).some((part) => typeof part === 'object' && part !== null && changesRows(part))
  );
}

function droppedTables({ node }: Statement): string[] {
  if (!('DropStmt' in node) || node.DropStmt.removeType !== 'OBJECT_TABLE') return [];
  return (node.DropStmt.objects ?? []).map((object) => {
    const path = 'List' in object ? (object.List.items ?? []) : [];
    const [relname = '', schemaname] = path
      .flatMap((one) => ('String' in one ? (one.String.sval ?? '') : []))
      .reverse();
    return tableName({ relname, ...(schemaname && { schemaname }) });
  });
}

type AlterCommand = { subtype?: string; def?: object };
type Column = { constraints?: object[] };

/** The commands of an ALTER TABLE on a table that existed before. */
function commands({ node }: Statement, isNew: (table: string) => boolean): AlterCommand[] {
  if (!('AlterTableStmt' in node) || node.AlterTableStmt.objtype !== 'OBJECT_TABLE') return [];
  if (isNew(tableOf(node.AlterTableStmt.relation))) return [];
  return (node.AlterTableStmt.cmds ?? []).flatMap((cmd) => ('AlterTableCmd' in cmd ? [cmd.AlterTableCmd] : []));
}

function addedColumns(statement: Statement, isNew: (table: string) => boolean): Column[] {
  return commands(statement, isNew).flatMap(({ subtype, def }) =>
    subtype === 'AT_AddColumn' && def && 'ColumnDef' in def ? [def.ColumnDef as Column] : [],
  );
}

function constraints({ constraints = [] }: Column): { contype?: string; raw_expr?: object; generated_kind?: string }[] {
  return constraints.flatMap((constraint) => ('Constraint' in constraint ? [constraint.Constraint as object] : []));
}

function has(column: Column, contype: string): boolean {
  return constraints(column).some((constraint) => constraint.contype === contype);
}

function rewritesTable(column: Column): boolean {
  return constraints(column).some(
    ({ contype, raw_expr: value, generated_kind: kind }) =>
      contype === 'CONSTR_IDENTITY' ||
      (contype === 'CONSTR_GENERATED' && kind !== 'v') ||
      (contype === 'CONSTR_DEFAULT' && functionsIn(value).some((name) => !stableFunctions.has(name))),
  );
}

function functionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const inside = functionsIn(value);
    if (key !== 'FuncCall') return inside;
    const names = (value as { funcname?: { String?: { sval?: string } }[] }).funcname ?? [];
    return [names.at(-1)?.String?.sval ?? '', ...inside];
  });
}

function checksAllRows({ subtype, def }: AlterCommand): boolean {
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) {
    const column = def.ColumnDef as Column;
    return ['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_CHECK'].some((contype) => has(column, contype));
  }
  if (subtype !== 'AT_AddConstraint' || !def || !('Constraint' in def)) return false;
  const {
    contype,
    skip_validation: isNotValid,
    indexname,
  } = def.Constraint as {
    contype?: string;
    skip_validation?: boolean;
    indexname?: string;
  };
  if (contype === 'CONSTR_FOREIGN' || contype === 'CONSTR_CHECK') return !isNotValid;
  return !indexname;
}

/** Finds constraints that are validated in the transaction that adds them, and so under its lock. */
function validatedTooEarly(statements: readonly Statement[]): string[] {
  const all = statements.flatMap((statement) => commands(statement, () => false));
  const adds = all.some(({ subtype }) => subtype === 'AT_AddConstraint');
  const validates = all.some(({ subtype }) => subtype === 'AT_ValidateConstraint');
  return adds && validates
    ? ['VALIDATE CONSTRAINT runs under the lock of ADD CONSTRAINT: move it to the next migration']
    : [];
}

function tableOf(relation: object | undefined): string {
  return relation && 'relname' in relation ? tableName(relation as { relname: string }) : '';
}

/** Applied before this check existed, to databases with few rows. An applied file cannot be changed. */
const acceptedFiles = new Set([
  'services/crm/prisma/migrations/20261121034500_purge/migration.sql',
  'services/crm/prisma/migrations/20261121042300_match_keys/migration.sql',
  'services/crm/prisma/migrations/20261121101728_paired/migration.sql',
  'services/crm/prisma/migrations/20261122004548_give_records_a_team/migration.sql',
  'services/crm/prisma/migrations/20261122014400_duplicate_keys/migration.sql',
  'services/crm/prisma/migrations/20261122014500_mark_paired_leads/migration.sql',
  'services/files/prisma/migrations/20261122004549_give_files_a_team/migration.sql',
  'services/identity/prisma/migrations/20261121113500_user_states/migration.sql',
  'services/identity/prisma/migrations/20261121125432_portal_sessions/migration.sql',
  'services/integrations/prisma/migrations/20261121100456_retention/migration.sql',
  'services/partner/prisma/migrations/20261122015910_ledger_constraints/migration.sql',
  'services/search/prisma/migrations/20261121160000_purge/migration.sql',
]);

/** Checks every migration of the workspace. Each finding names its file. */
export async function checkMigrations(root: string): Promise<string[]> {
  const perService = await Promise.all(findServices(root).map((service) => readMigrations(root, service)));
  // The migrations of our packages are the same for every service.
  const files = new Map(perService.flat().map((migration) => [migration.file, migration.sql]));
  const checked = [...files].filter(([file]) => !acceptedFiles.has(file));
  const findings = await Promise.all(
    checked.map(async ([file, sql]) => (await checkMigration(sql)).map((finding) => `${file}: ${finding}`)),
  );
  return findings.flat();
}
