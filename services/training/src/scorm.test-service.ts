import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** A file of a package; `mode` is that of Unix. */
interface File {
  content: string | Buffer;
  compress?: boolean;
  mode?: number;
}

export type Files = Record<string, string | Buffer | File>;

/** A zip file with these files. */
export async function aZip(files: Files): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, given] of Object.entries(files)) {
    const { content, ...options } =
      typeof given === 'string' || Buffer.isBuffer(given) ? { content: given } : (given satisfies File);
    zip.addBuffer(Buffer.from(content as string), name, { ...options, mtime: new Date('2026-01-01') });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** A SCORM package of one page. */
export const aPackage = (version: '1.2' | '2004', { files = {}, ...facts }: Facts & { files?: Files } = {}) =>
  aZip({ 'imsmanifest.xml': aManifest(version, facts), 'index.html': '<html><head></head></html>', ...files });

interface Facts {
  href?: string;
  parameters?: string;
  masteryScore?: number;
  title?: string;
}

const schemas = {
  '1.2': ['http://www.imsproject.org/xsd/imscp_rootv1p1p2', 'http://www.adlnet.org/xsd/adlcp_rootv1p2', '1.2'],
  '2004': ['http://www.imsglobal.org/xsd/imscp_v1p1', 'http://www.adlnet.org/xsd/adlcp_v1p3', '2004 4th Edition'],
} as const;

/** A manifest with one SCO. */
export function aManifest(
  version: '1.2' | '2004',
  { href = 'index.html', parameters = '', masteryScore, title = 'Golf &amp; sales' }: Facts = {},
): string {
  const [imscp, adlcp, schemaVersion] = schemas[version];
  const is12 = version === '1.2';
  const mastery12 = masteryScore === undefined ? '' : `<adlcp:masteryscore>${masteryScore}</adlcp:masteryscore>`;
  const mastery2004 =
    masteryScore === undefined
      ? ''
      : `<imsss:sequencing><imsss:objectives><imsss:primaryObjective objectiveID="o" satisfiedByMeasure="true"><imsss:minNormalizedMeasure>${masteryScore / 100}</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives></imsss:sequencing>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" xmlns="${imscp}" xmlns:adlcp="${adlcp}" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
  <metadata><schema>ADL SCORM</schema><schemaversion>${schemaVersion}</schemaversion></metadata>
  <organizations default="org"><organization identifier="org"><title>Organization</title>
    <item identifier="item" identifierref="res" parameters="${parameters}"><title>${title}</title>${is12 ? mastery12 : mastery2004}</item>
  </organization></organizations>
  <resources><resource identifier="res" type="webcontent" adlcp:${is12 ? 'scormtype' : 'scormType'}="sco" href="${href}"><file href="${href}"/></resource></resources>
</manifest>`;
}

/** Changes the record of a file in the directory of a zip file, where all its facts are. */
export function withRecord(zip: Buffer, name: string, change: (record: Buffer) => void): Buffer {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf('PK\x01\x02', 'latin1'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4, 'latin1')) {
    const length = copy.readUInt16LE(at + 28);
    if (copy.toString('utf8', at + 46, at + 46 + length) === name) change(copy.subarray(at));
  }
  return copy;
}
