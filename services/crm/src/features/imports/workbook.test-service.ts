import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

const xml = '<?xml version="1.0" encoding="UTF-8"?>';
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

/** A workbook as spreadsheet programs write it, with this first sheet. */
export async function workbook(
  rows: string,
  { shared = '', more = {} }: { shared?: string; more?: Record<string, string> } = {},
) {
  const zip = new yazl.ZipFile();
  const parts: Record<string, string> = {
    'xl/workbook.xml': `<workbook ${main} xmlns:r="http://r"><sheets><sheet name="A" r:id="rId7"/><sheet name="B" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/b.xml"/><Relationship Id="rId7" Target="/xl/worksheets/a.xml"/></Relationships>',
    'xl/styles.xml': `<styleSheet ${main}><numFmts><numFmt numFmtId="170" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${main}>${shared}</sst>`,
    'xl/worksheets/a.xml': `<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`,
    'xl/worksheets/b.xml': `<worksheet ${main}><sheetData/></worksheet>`,
    ...more,
  };
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml + content), name);
  zip.end();
  return buffer(zip.outputStream);
}
