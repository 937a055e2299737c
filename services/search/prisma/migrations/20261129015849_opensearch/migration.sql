-- CreateTable
CREATE TABLE "search_engine" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "state" TEXT NOT NULL DEFAULT 'filling',
    "filled_to" BIGINT DEFAULT 0,
    "version" BIGINT NOT NULL,
    "filled_at" TIMESTAMPTZ(3),

    CONSTRAINT "search_engine_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "index_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "doc_id" BIGINT NOT NULL,

    CONSTRAINT "index_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

ALTER TABLE "search_engine" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "search_engine" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "search_engine" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "index_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "index_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "index_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "search_engine" ADD CONSTRAINT "search_engine_state_check" CHECK ("state" IN ('filling', 'live', 'leaving'));

-- Whatever writes documents notes them for the server, if the tenant has one: no writer has to remember it. The removal of a tenant
-- has another search path.
CREATE FUNCTION "note_new_documents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."search_engine") THEN
    INSERT INTO "public"."index_change" ("doc_id") SELECT "id" FROM "changed";
  END IF;
  RETURN NULL;
END $$;

-- The digest of the terms covers everything that the server has of a document beside these.
CREATE FUNCTION "note_changed_documents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."search_engine") THEN
    INSERT INTO "public"."index_change" ("doc_id") SELECT "id" FROM "changed" AS "now" JOIN "former" USING ("id")
      WHERE ("now"."type", "now"."words", "now"."owners", "now"."removed_at")
        IS DISTINCT FROM ("former"."type", "former"."words", "former"."owners", "former"."removed_at");
  END IF;
  RETURN NULL;
END $$;

-- Housekeeping deletes removed documents only, which the server no longer has, and may not read the tables below.
CREATE FUNCTION "note_deleted_documents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "changed" WHERE "removed_at" IS NULL) THEN
    IF EXISTS (SELECT FROM "public"."search_engine") THEN
      INSERT INTO "public"."index_change" ("doc_id") SELECT "id" FROM "changed";
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "document_inserted" AFTER INSERT ON "document" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "note_new_documents"();
CREATE TRIGGER "document_updated" AFTER UPDATE ON "document" REFERENCING NEW TABLE AS "changed" OLD TABLE AS "former"
  FOR EACH STATEMENT EXECUTE FUNCTION "note_changed_documents"();
CREATE TRIGGER "document_deleted" AFTER DELETE ON "document" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "note_deleted_documents"();
