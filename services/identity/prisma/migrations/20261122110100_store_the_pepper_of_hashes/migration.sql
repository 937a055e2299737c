-- AlterTable
ALTER TABLE "email_lookup" ADD COLUMN     "pepper" TEXT;

-- AlterTable
ALTER TABLE "key_lookup" ADD COLUMN     "pepper" TEXT;
