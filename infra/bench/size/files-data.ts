import type { Client } from 'pg';
import { fillTables } from './fill-tables.ts';

/** Number of files of the large tenant, and of the other tenants together. */
export const fileCounts = { large: Number(process.env['BENCH_FILES'] ?? 1_000_000), others: 50_000 };

/** Values that known shares of the files have. */
export const seeded = {
  /** The record of one file in a hundred; other records have five files each. */
  crowded: 'crowded',
  /** A word in 20 texts, one in a tenth of them, and one in all of them. */
  words: { rare: 'quetzalcoatl', common: 'engine', everywhere: 'agreement' },
  /** A word in 20 names. */
  rareName: 'jorandez',
};

// Above the ids of files that are uploaded during the benchmark.
const firstId = 10_000_000;
const firstSmallTenant = 1_000_000;
const smallTenants = 500;
const tables = ['file', 'file_version', 'file_text'];

/**
 * Fills the database of files: one tenant with a million files, each with a version and a text of about 25 words, beside
 * small tenants. There are no bytes, which lists do not read.
 * @param tenant.firstUser the lowest id of the 200 users who uploaded the files
 */
export async function fillFiles(
  url: string,
  tenant: { id: number; firstUser: number },
  log: (line: string) => void,
): Promise<void> {
  const fill = async (client: Client) => {
    log(`filling files: ${fileCounts.large} files`);
    await client.query(filesOf(String(tenant.id), { count: fileCounts.large, from: firstId, ...tenant }));
    const small = { count: fileCounts.others, from: firstId + fileCounts.large, ...tenant };
    await client.query(filesOf(`${firstSmallTenant} + n % ${smallTenants}`, small));
    await client.query(versions);
    await client.query(texts);
  };
  await fillTables(url, tables, fill, { log });
}

interface Part {
  count: number;
  from: number;
  firstUser: number;
}

// Columns have different salts, so that their values are not correlated.
const spread = (salt: number, modulus: number) => `((hashint8extended(n, ${salt}) & 1073741823) % ${modulus})`;

function filesOf(tenantId: string, { count, from, firstUser }: Part): string {
  const rare = `n % ${Math.max(1, Math.floor(count / 20))} = 7`;
  const kind = `(ARRAY['invoice','contract','offer','report','photo'])[1 + ${spread(7_919, 5)}]`;
  return `
    INSERT INTO file (tenant_id, environment, id, filename, content_type, size, checksum_sha256, object_key, entity_type,
      entity_id, status, version_id, tags, uploaded_by, team_id, created_at, updated_at, deleted_at)
    SELECT ${tenantId}, 'live', ${from} + n,
      ${kind} || CASE WHEN ${rare} THEN '-${seeded.rareName}-' ELSE '-2026-' END || lpad(n::text, 8, '0') || '.pdf',
      CASE WHEN n % 2 = 0 THEN 'application/pdf' WHEN n % 5000 = 1 THEN 'image/tiff' WHEN n % 3 = 0 THEN 'image/png'
        ELSE 'application/octet-stream' END,
      ${spread(48_271, 5_000_000)}, md5(n::text) || md5(n::text), ${tenantId} || '/live/seeded-' || n,
      CASE WHEN n % 10 = 9 THEN NULL WHEN n % 10 = 8 THEN 'opportunity' ELSE 'lead' END,
      CASE WHEN n % 10 = 9 THEN NULL WHEN ${spread(43, 100)} = 1 THEN '${seeded.crowded}' ELSE 'record-' || ${spread(104_729, 200_000)} END,
      CASE WHEN n % 1000 = 3 THEN 'quarantined' WHEN n % 5000 = 4 THEN 'pending_upload' ELSE 'available' END, ${from} + n,
      CASE WHEN n % 20000 = 11 THEN ARRAY['vip'] WHEN ${spread(41, 5)} = 0 THEN ARRAY['signed', 'tag' || ${spread(37, 50)}] ELSE '{}' END,
      ${firstUser} + ${spread(31, 200)}, 1 + ${spread(31, 20)},
      now() - (${count} - n) * interval '30 seconds', now() - ${spread(7_919, 3_000_000)} * interval '25 seconds',
      CASE WHEN n % 100 = 50 THEN now() END
    FROM generate_series(1, ${count}) n`;
}

const versions = `
  INSERT INTO file_version (tenant_id, environment, id, file_id, number, object_key, size, content_type, checksum_sha256,
    status, counted, created_by, created_at)
  SELECT tenant_id, environment, version_id, id, 1, object_key, size, content_type, checksum_sha256, status, true,
    uploaded_by, created_at
  FROM file WHERE id > ${firstId}`;

const word = (prime: number) => `'w' || (file.id * ${prime} % 50021)`;
const texts = `
  INSERT INTO file_text (tenant_id, environment, file_id, version_id, words)
  SELECT tenant_id, environment, id, version_id, to_tsvector('simple', concat_ws(' ', '${seeded.words.everywhere}',
    CASE WHEN id % 10 = 3 THEN '${seeded.words.common}' END,
    CASE WHEN filename LIKE '%${seeded.rareName}%' THEN '${seeded.words.rare}' END,
    ${[7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97].map(word).join(', ')}))
  FROM file WHERE id > ${firstId}`;
