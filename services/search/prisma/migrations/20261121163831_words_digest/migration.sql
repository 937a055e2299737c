-- AlterTable
ALTER TABLE "document" ADD COLUMN     "words" TEXT,
ADD COLUMN     "words_changed" BOOLEAN NOT NULL DEFAULT true;
