import { described } from './testing.ts';

/** Responses and header parameters of an operation in the document. */
interface Described {
  operationId: string;
  responses: Record<string, { headers?: object }>;
  parameters?: { $ref?: string }[];
}

describe('conditional requests', () => {
  it('are declared for every operation that reads a record with an ETag, and for no other', () => {
    const declared = (described as unknown as Described[]).map((one) => ({
      ...one,
      hasHeader: (one.parameters ?? []).some(({ $ref }) => $ref === '#/components/parameters/IfNoneMatch'),
    }));
    const conditional = declared.filter(({ hasHeader }) => hasHeader).map(({ operationId }) => operationId);
    expect(declared.filter(({ responses }) => '304' in responses).map(({ operationId }) => operationId)).toEqual(
      conditional,
    );
    expect(conditional).toEqual(expect.arrayContaining(['getLead', 'getTeam']));
    expect(conditional).not.toEqual(expect.arrayContaining(['updateLead']));
    expect(conditional).not.toEqual(expect.arrayContaining(['listLeads']));
    const withEtag = declared.filter(({ responses }) => 'ETag' in (responses['200']?.headers ?? {}));
    expect(withEtag.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(conditional));
  });
});
