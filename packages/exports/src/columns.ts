import { type FieldError, walkIds } from '@tandem/contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import type { Cell } from '@tandem/service';
import type { z } from 'zod';

/** The records of an export, whose fields are its columns. */
export interface Exported {
  /** The schema of a record. */
  record: z.ZodObject;
  /** The columns inside of a field, by field: `consent.email`. Those of `customFields` need no declaration. */
  parts?: Readonly<Record<string, Part>>;
}

interface Part {
  names: readonly string[];
  /** What a column shows of the value with its name. */
  read(value: unknown): unknown;
}

/** A field whose content has no use in a file. */
const hidden = ['tenantId', 'allowedTransitions', 'version'];
const customFields = 'customFields';

/** The columns of an export without `columns`. */
export function allColumns({ record }: Exported): string[] {
  return Object.keys(record.shape).filter((field) => !hidden.includes(field));
}

/** The errors for columns that the records do not have, each with those that they have. */
export function unknownColumns(exported: Exported, columns: readonly string[]): FieldError[] {
  return columns.flatMap((column, index) =>
    isColumn(exported, column)
      ? []
      : [{ field: `columns.${index}`, message: `Must be one of ${columnNames(exported)}` }],
  );
}

function isColumn(exported: Exported, column: string): boolean {
  const { shape } = exported.record;
  const custom = `${customFields}.`;
  if (column.startsWith(custom)) return customFields in shape && column.length > custom.length;
  return partColumns(exported).includes(column) || Object.hasOwn(shape, column);
}

function columnNames(exported: Exported): string {
  const custom = customFields in exported.record.shape ? [`${customFields}.<key>`] : [];
  return [...allColumns(exported), ...custom, ...partColumns(exported)].join(', ');
}

function partColumns({ parts = {} }: Exported): string[] {
  return Object.entries(parts).flatMap(([field, { names }]) => names.map((name) => `${field}.${name}`));
}

/** How the rows of a file are written. */
export interface RowPlan {
  columns: readonly string[];
  /** Whether the file has texts and numbers only; otherwise values stay what they are in JSON. */
  isTable: boolean;
  ids: IdCodec;
  tenantId: number;
}

/**
 * Writes the columns of a record, with the ids that clients know, in place. The record is decoded, or in the form in which
 * services send it.
 */
export function rowWriter({ record, parts = {} }: Exported, { columns, isTable, ids, tenantId }: RowPlan) {
  const rewrite = compileRewriter(walkIds(record));
  const read = columns.map((column) => {
    const [field, ...key] = column.split('.') as [string, ...string[]];
    if (!key.length) return (row: Row) => row[field];
    const name = key.join('.');
    const shown = parts[field]?.read;
    return (row: Row) => (shown ? shown(ownValue(row[field], name)) : ownValue(row[field], name));
  });
  return (row: Row): unknown[] => {
    rewrite(row, (type, value) => (isNumber(value) ? ids.encode(type, tenantId, Number(value)) : value));
    return read.map((of) => (isTable ? cellOf(of(row)) : (of(row) ?? null)));
  };
}

type Row = Record<string, unknown>;

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[1-9][0-9]*$/.test(value));
}

function ownValue(of: unknown, name: string): unknown {
  return of && Object.hasOwn(of, name) ? (of as Row)[name] : undefined;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
