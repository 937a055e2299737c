import pg from 'pg';
import { sketchOf } from '../../services/search/src/embedding/grams.ts';
import { localModel as model } from '../../services/search/src/embedding/local.ts';
import { indexForm } from '../../services/search/src/terms.ts';

/** The sizes of a data set of the search service. */
export interface SearchSeed {
  /** The tenant that owns `documents` leads. */
  tenantId: number;
  documents: number;
  /** How many other tenants there are, with 100 leads each. */
  otherTenants: number;
  /** Public ids of users and teams, who own the leads in turn. */
  users: string[];
  teams: string[];
}

/** A word that 20 leads have, a word that every lead has, and words in between. */
export const seededWords = { rare: 'quetzalcoatl', everywhere: 'example' };
const documentsOfOthers = 100;
const facet = (name: string) => `'#${name}=' || `;

/**
 * Fills the database of the search service by SQL, as writing through the service would, but in a few minutes. Indexes are
 * made after the rows, and what was in the tables is removed.
 * @param url the administrator's address of the database: row-level security does not apply
 */
export async function seedSearch(url: string, seed: SearchSeed, log: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET maintenance_work_mem = '512MB'; SET work_mem = '128MB'; SET synchronous_commit = off`);
    const { tenantId, documents, otherTenants, users, teams } = seed;
    await client.query('BEGIN');
    await client.query('TRUNCATE document, posting, spelling, embedding');
    const indexes = await dropIndexes(client);
    await client.query(wordTablesSql);
    log('documents');
    await client.query(leadTableSql, [tenantId, documents, otherTenants, users, teams]);
    await client.query(documentsSql, [indexForm]);
    log('postings');
    await client.query(postingsSql);
    await client.query(spellingsSql);
    await writeSketches(client, tenantId);
    log('vectors');
    await client.query(vectorsSql, [model]);
    for (const { name, definition } of indexes) {
      log(name);
      await client.query(definition);
    }
    await client.query(`SELECT setval(pg_get_serial_sequence('document', 'id'), (SELECT max(id) FROM document))`);
    await client.query('COMMIT');
    log('vacuum');
    for (const table of ['document', 'posting', 'spelling', 'embedding']) await client.query(`VACUUM ANALYZE ${table}`);
  } finally {
    await client.end();
  }
}

/** Writes the sketches of the words of the tenant, which only the code of the service computes. */
async function writeSketches(client: pg.Client, tenantId: number): Promise<void> {
  const { rows } = await client.query<{ word: string }>(
    'SELECT DISTINCT word FROM spelling WHERE tenant_id = $1 AND form = word',
    [tenantId],
  );
  const sketches = rows.flatMap(({ word }) => sketchOf(word).map((form) => ({ form, word })));
  await client.query(
    `INSERT INTO spelling (tenant_id, environment, type, form, word)
    SELECT $1, 'live', 'lead', form, word FROM unnest($2::text[], $3::text[]) AS sketch (form, word)`,
    [tenantId, sketches.map(({ form }) => form), sketches.map(({ word }) => word)],
  );
}

/** Drops indexes and keys, and resolves to the statements that make them again. */
async function dropIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string; key: string | null }>(`
    SELECT indrelid::regclass::text AS "table", indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition,
      pg_get_constraintdef(pg_constraint.oid) AS key
    FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u')
    WHERE indrelid = ANY('{document, posting, spelling, embedding}'::regclass[])`);
  const dropped: { name: string; definition: string }[] = [];
  for (const { table, name, definition, key } of rows) {
    await client.query(key ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
    dropped.push({ name, definition: key ? `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${key}` : definition });
  }
  return dropped;
}

// Names are made of syllables: letters only, so that typing errors in them are forgiven.
const wordTablesSql = `
  CREATE TEMP TABLE syllable ON COMMIT DROP AS
    SELECT row_number() OVER () - 1 AS n, consonant || vowel AS text
    FROM unnest('{b,d,f,g,k,l,m,n,p,r,s,t,v,w,z,ch}'::text[]) AS consonant, unnest('{a,e,i,o,u}'::text[]) AS vowel;
  CREATE TEMP TABLE name ON COMMIT DROP AS
    SELECT number AS n, one.text || two.text || three.text AS text
    FROM generate_series(0, 49999) AS number
      JOIN syllable one ON one.n = number * 7 % 80 JOIN syllable two ON two.n = number / 80 % 80
      JOIN syllable three ON three.n = (number / 6400 + number) % 80;
  ANALYZE name`;

const random = (salt: number) => `((hashint8extended(n, ${salt}) & 1048575) / 1048576.0::float8)`;

// Small numbers are common: the first of 1,000 first names belongs to three leads in a hundred, the last to one in 2,000.
// Last names are skewed too.
const leadTableSql = `
  CREATE TEMP TABLE lead ON COMMIT DROP AS
    SELECT chosen.n, tenant_id, first.text AS first, CASE WHEN chosen.n <= 20 THEN '${seededWords.rare}' ELSE last.text END AS last,
      company.text AS company, status, source, owner, team, creator, round((score * 100)::numeric, 1) AS score,
      '2025-01-01'::timestamptz + chosen.n * interval '1 second' AS created_at
    FROM (
      SELECT n, CASE WHEN n <= $2::int THEN $1::bigint ELSE $1::bigint + 1 + (n - $2::int) % $3::int END AS tenant_id,
        (1000 * power(${random(1)}, 2))::int AS first, (20000 * power(${random(2)}, 3))::int AS last, (50000 * ${random(3)})::int % 50000 AS company,
        ('{new,new,new,contacted,contacted,qualified,converted,unqualified}'::text[])[1 + (8 * ${random(4)})::int % 8] AS status,
        ('{web,referral,api,import,manual}'::text[])[1 + (5 * ${random(5)})::int % 5] AS source,
        ($4::text[])[1 + (cardinality($4::text[]) * ${random(6)})::int % cardinality($4::text[])] AS owner,
        ($4::text[])[1 + (cardinality($4::text[]) * ${random(7)})::int % cardinality($4::text[])] AS creator,
        ($5::text[])[1 + (cardinality($5::text[]) * ${random(8)})::int % cardinality($5::text[])] AS team,
        ${random(9)} AS score
      FROM generate_series(1, $2::int + $3::int * ${documentsOfOthers}) AS n) AS chosen
      JOIN name first ON first.n = chosen.first JOIN name last ON last.n = chosen.last
      JOIN name company ON company.n = chosen.company`;

const documentsSql = `
  INSERT INTO document (tenant_id, environment, id, type, document_id, version, document, status, source, assigned_to, score,
    created_at, owners, words)
  SELECT tenant_id, 'live', n, 'lead', 'd' || n, 1, jsonb_build_object('firstName', initcap(first), 'lastName', initcap(last),
      'email', first || '.' || last || n || '@' || company || '.example', 'company', company || ' gmbh', 'status', status,
      'source', source, 'assignedTo', owner, 'teamId', team, 'score', score, 'createdAt', created_at),
    status, source, owner, score, created_at, ARRAY[owner, creator, team], $1 || 'seeded'
  FROM lead ORDER BY n`;

// The bits of a number that is not negative, with the sign set.
const bits = "encode(float8send(score::float8), 'hex')";
const scoreDigits = `CASE substr(${bits}, 1, 1) WHEN '0' THEN '8' WHEN '4' THEN 'c' ELSE 'b' END || substr(${bits}, 2)`;

const postingsSql = `
  INSERT INTO posting (tenant_id, environment, doc_id, type, term, weight)
  SELECT tenant_id, 'live', n, 'lead', term, weight
  FROM (SELECT * FROM lead ORDER BY n) AS lead CROSS JOIN LATERAL (VALUES
    (first, 4), (CASE WHEN last <> first THEN last END, 4), (CASE WHEN company NOT IN (first, last) THEN company END, 4),
    (last || n, 4), ('${seededWords.everywhere}', 4), ('gmbh', 2),
    ('=' || first || '.' || last || n || '@' || company || '.example', 0), ('=' || first || ' ' || last, 0),
    (${facet('name')} last || ' ' || first, 0), (${facet('status')} status, 0), (${facet('source')} source, 0), (${facet('assignedTo')} owner, 0),
    (${facet('owner')} owner, 0), (CASE WHEN creator <> owner THEN ${facet('owner')} creator END, 0),
    (${facet('owner')} team, 0), (${facet('score')} ${scoreDigits}, 0),
    (${facet('createdAt')} to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 0)) AS word (term, weight)
  WHERE term IS NOT NULL`;

// Of the size of real vectors, and as costly to compare. They point in random directions, so searches find few similar documents.
const vectorsSql = `
  INSERT INTO embedding (tenant_id, environment, doc_id, model, vector)
  SELECT tenant_id, 'live', n, $1, decode((SELECT string_agg(md5(n || '.' || part), '') FROM generate_series(1, 16) AS part), 'hex')
  FROM (SELECT * FROM lead ORDER BY n) AS lead`;

const spellingsSql = `
  INSERT INTO spelling (tenant_id, environment, type, form, word)
  SELECT DISTINCT tenant_id, 'live', 'lead', overlay(word placing '' from letter for CASE WHEN letter > length(word) THEN 0 ELSE 1 END), word
  FROM (SELECT tenant_id, first AS word FROM lead UNION SELECT tenant_id, last FROM lead UNION SELECT tenant_id, company FROM lead
    UNION SELECT DISTINCT tenant_id, '${seededWords.everywhere}' FROM lead UNION SELECT DISTINCT tenant_id, 'gmbh' FROM lead) AS word
    CROSS JOIN LATERAL generate_series(1, length(word) + 1) AS letter`;
