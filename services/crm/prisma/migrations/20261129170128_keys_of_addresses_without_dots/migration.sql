-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "mailbox_key" TEXT;

-- The key `mailbox` of packages/matching: the address in lower case without +tag, and without dots before the @. A trigger calculates
-- it, because a generated column would rewrite the table; leads that the previous release writes have it too.
CREATE FUNCTION "lead_mailbox_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."mailbox_key" := regexp_replace(regexp_replace(regexp_replace(lower(NEW."email"),
    '^([^+@]+)\+[^@]*@', '\1@'), '@googlemail\.com$', '@gmail.com'), '\.(?=.*@)', '', 'g');
  RETURN NEW;
END $$;
CREATE TRIGGER "lead_mailbox_key" BEFORE INSERT OR UPDATE OF "email" ON "lead" FOR EACH ROW
  EXECUTE FUNCTION "lead_mailbox_key"();
