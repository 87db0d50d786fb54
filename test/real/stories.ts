// All stories, by language.
import type { Story } from './story.js'
import { cStory } from './story-c.js'
import { goStory } from './story-go.js'
import { javaStory } from './story-java.js'
import { pythonStory } from './story-python.js'
import { rustStory } from './story-rust.js'
import { typescriptStory } from './story-typescript.js'

const stories: readonly Story[] = [typescriptStory, pythonStory, goStory, rustStory, cStory, javaStory]

export function storyFor(language: string): Story {
  const found = stories.find(story => story.language === language)
  if (found === undefined) throw new TypeError(`there is no story in ${language}`)
  return found
}
